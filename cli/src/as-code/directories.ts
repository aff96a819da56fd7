import type { NewDirectory } from '@signet/management'
import { boolean, domains, text, textOrNull } from './field-types.ts'
import { oldestFirst, readAll } from './read-all.ts'
import { pick, type Section } from './section.ts'

const types = {
  id: text,
  name: text,
  oauth_client_id: textOrNull,
  match: text,
  adopt: boolean,
  email_domains: domains,
  on_delete: text,
  group_prefix: text,
  enabled: boolean,
}

/** The service leaves out what a directory does not have; a file removes it by `null`. */
const none = { oauth_client_id: null }

/** Known by their name, as applications are. Their tokens are in no file. */
export const directories: Section = {
  name: 'directories',
  noun: 'directory',
  types,
  required: ['name'],
  title: 'name',
  computed: 'id',
  refersTo: 'oauth_client_id',
  immutable: [],
  secret: [],
  keyOf: ({ id, name }) => (id === undefined ? `name ${name}` : `id ${id}`),
  keysOf: ({ id, name }) => [`name ${name}`, `id ${id}`],
  list: async (signet) => {
    const records = await readAll('directories', (place) => signet.listDirectories({ query: place }))
    return oldestFirst(records, ({ id }) => id).map((record) => ({
      id: record.id,
      fields: pick({ ...none, ...record }, Object.keys(types)),
    }))
  },
  create: async (signet, fields) => {
    const { result } = await signet.createDirectory({ body: fields as NewDirectory })
    return { id: result.id }
  },
  change: async (signet, { id }, fields) => {
    await signet.changeDirectory({ path: { id }, body: fields })
    return { id }
  },
  remove: (signet, { id }) => signet.deleteDirectory({ path: { id } }),
}
