// Uses the types that openapi-typescript writes, of the bodies and answers of twenty operations. The test compiles it.
import type { operations } from './types.gen.js'

type Body<Id extends keyof operations> = operations[Id] extends {
  requestBody?: { content: { 'application/json': infer Given } }
}
  ? Given
  : never
type Answer<Id extends keyof operations, Status extends number> = operations[Id] extends {
  responses: { [Code in Status]: { content: { 'application/json': infer Told } } }
}
  ? Told
  : never

/** Refuses to compile where the type of a value is `any`, or `never`. */
type Known<Value> = 0 extends 1 & Value ? never : [Value] extends [never] ? never : true

export const bodies = {
  createGroup: { name: 'engineering' } satisfies Body<'createGroup'>,
  setPersonGroups: { groups: ['engineering'] } satisfies Body<'setPersonGroups'>,
  createPerson: { handles: [{ type: 'PhoneNumber', value: '+12025550123' }] } satisfies Body<'createPerson'>,
  createWebhook: { name: 'Hook', target_url: 'https://hook.example.com/' } satisfies Body<'createWebhook'>,
  createTrigger: { trigger_type: 'sync_hook', trigger_name: 'token_minted' } satisfies Body<'createTrigger'>,
  modifyOidcCredential: { label: null } satisfies Body<'modifyOidcCredential'>,
  createApplication: { name: 'Portal', redirect_uris: [] } satisfies Body<'createApplication'>,
  publishTestEvents: [{ event_name: 'PersonDeleted', groups: [] }] satisfies Body<'publishTestEvents'>,
}

export const answers: true[] = [
  true satisfies Known<Answer<'createGroup', 201>['result']['members_count']>,
  true satisfies Known<Answer<'listGroups', 200>['meta']['pagination']['total_count']>,
  true satisfies Known<Answer<'getPerson', 200>['result']['handles'][number]['verified']>,
  true satisfies Known<Answer<'listPersons', 200>['result'][number]['person_id']>,
  true satisfies Known<Answer<'getWebhook', 200>['result']['target_url']>,
  true satisfies Known<Answer<'listTriggers', 200>['result'][number]['trigger_name']>,
  true satisfies Known<Answer<'listDeliveries', 200>['result'][number]['last_error']>,
  true satisfies Known<Answer<'getDelivery', 200>['result']['attempts'][number]['status_code']>,
  true satisfies Known<Answer<'getOidcCredential', 200>['result']['options']>,
  true satisfies Known<Answer<'getVerificationKeys', 200>['keys'][number]['kid']>,
  true satisfies Known<Answer<'createApiKey', 201>['result']['api_key']>,
  true satisfies Known<Answer<'getUsage', 200>['result']['groups']['used']>,
]
