import { text } from './field-types.ts'
import { readAll } from './read-all.ts'
import type { Section } from './section.ts'

const name = text({
  pattern: /^[A-Za-z0-9][A-Za-z0-9_.-]{0,98}[A-Za-z0-9]$/,
  rule: 'must have 2 to 100 characters of A-Z a-z 0-9 - _ . and a letter or digit at both ends',
})

export const groups: Section = {
  name: 'groups',
  noun: 'group',
  types: { name, description: text({ max: 1_000 }) },
  required: ['name'],
  title: 'name',
  fixed: [],
  secret: [],
  keyOf: ({ name }) => String(name),
  list: async (signet) => {
    const names = await readAll('groups', (place) => signet.listGroups({ query: place }))
    return names.map((name) => ({ id: name, fields: { name } }))
  },
  details: async (signet, { id }) => {
    const { result } = await signet.getGroup({ path: { group_name: id } })
    return { description: result.description }
  },
  create: async (signet, fields) => {
    const { result } = await signet.createGroup({ body: fields as { name: string } })
    return { id: result.name }
  },
  change: async (signet, { id }, fields) => {
    await signet.changeGroup({ path: { group_name: id }, body: fields })
    return { id }
  },
  remove: (signet, { id }) => signet.deleteGroup({ path: { group_name: id } }),
}
