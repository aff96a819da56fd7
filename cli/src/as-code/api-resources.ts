import type { NewResource } from '@signet/management'
import { duration, text, texts } from './field-types.ts'
import { oldestFirst, readAll } from './read-all.ts'
import { pick, type Section } from './section.ts'

const types = { identifier: text, name: text, scopes: texts, token_lifetime: duration }

export const apiResources: Section = {
  name: 'resources',
  noun: 'resource',
  types,
  required: ['identifier', 'name'],
  title: 'identifier',
  immutable: ['identifier'],
  secret: [],
  keyOf: ({ identifier }) => String(identifier),
  list: async (signet) => {
    const records = await readAll('resources', (place) => signet.listResources({ query: place }))
    return oldestFirst(records, ({ id }) => id).map((record) => ({
      id: record.id,
      fields: pick(record, Object.keys(types)),
    }))
  },
  create: async (signet, fields) => {
    const { result } = await signet.createResource({ body: fields as NewResource })
    return { id: result.id }
  },
  change: async (signet, { id }, fields) => {
    await signet.changeResource({ path: { id }, body: fields })
    return { id }
  },
  remove: (signet, { id }) => signet.deleteResource({ path: { id } }),
}
