import type { NewApplication } from '@signet/management'
import { boolean, duration, text, textOrNull, texts } from './field-types.ts'
import { oldestFirst, readAll } from './read-all.ts'
import { pick, type Section } from './section.ts'

const types = {
  client_id: text,
  name: text,
  redirect_uris: texts,
  post_logout_redirect_uris: texts,
  confidential: boolean,
  id_token_signed_response_alg: text,
  require_pkce: boolean,
  require_nonce: boolean,
  groups_claim: boolean,
  refresh_token_grace: duration,
  home_url: textOrNull,
  introspects: texts,
  backchannel_logout_uri: textOrNull,
  backchannel_logout_session_required: boolean,
}

/** The service leaves out what an application does not have; a file removes it by `null`. */
const none = { home_url: null, backchannel_logout_uri: null }

/** Known by their name, for the service makes their `client_id`; one of several with a name is named by its `client_id`. */
export const applications: Section = {
  name: 'applications',
  noun: 'application',
  types,
  required: ['name', 'redirect_uris'],
  title: 'name',
  computed: 'client_id',
  immutable: [],
  secret: [],
  keyOf: ({ client_id, name }) => (client_id === undefined ? `name ${name}` : `client_id ${client_id}`),
  keysOf: ({ client_id, name }) => [`name ${name}`, `client_id ${client_id}`],
  list: async (signet) => {
    const records = await readAll('applications', (place) => signet.listApplications({ query: place }))
    return oldestFirst(records, ({ client_id }) => client_id).map((record) => ({
      id: record.client_id,
      fields: pick({ ...none, ...record }, Object.keys(types)),
    }))
  },
  create: async (signet, fields) => {
    const { result } = await signet.createApplication({ body: fields as NewApplication })
    return { id: result.client_id, clientSecret: result.client_secret }
  },
  change: async (signet, { id }, fields) => {
    const { result } = await signet.changeApplication({ path: { client_id: id }, body: fields })
    return { id, clientSecret: result.client_secret }
  },
  remove: (signet, { id }) => signet.deleteApplication({ path: { client_id: id } }),
}
