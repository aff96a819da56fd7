import { text } from './field-types.ts'
import { readAll } from './read-all.ts'
import type { Section } from './section.ts'

export const groups: Section = {
  name: 'groups',
  noun: 'group',
  types: { name: text, description: text },
  required: ['name'],
  title: 'name',
  immutable: [],
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
