import { application } from './browser.ts'
import { ada } from './sign-ins.ts'
import { otherClient } from './upstreams.ts'

const otherAddress = { type: 'EmailAddress', value: 'ceo@victim.example' }
const otherNumber = { type: 'PhoneNumber', value: '+12025550199' }
export const hook = { trigger_type: 'sync_hook', trigger_name: 'token_minted' }

/** Whose claims are to be changed, and where receivers are. */
type Target = { personId: string; receiverUrl: (name: string) => string }

/**
 * With what each operation that writes is called to change as much as it can of what a token says, each body in turn. An operation
 * without a row fails.
 */
export const attempts: Record<string, (target: Target) => { body?: unknown; query?: string }[]> = {
  changeSettings: () => [
    { body: { self_registration: false, allowed_email_domains: ['victim.example'] } },
    { body: { link_by_verified_email: true } },
  ],
  changeLogo: () => [{}],
  deleteLogo: () => [{}],
  createApiKey: () => [{ body: {} }, { body: { read_only: true } }, { body: { scopes: ['api-keys:read'] } }],
  revokeApiKey: () => [{}],
  changeApiKey: () => [{ body: { name: 'New' } }],
  endConsoleSession: () => [{}],
  createGroup: () => [{ body: { name: 'admins' } }, { body: { name: 'staff', description: 'x' } }],
  changeGroup: () => [{ body: { description: 'New' } }],
  deleteGroup: () => [{}],
  addGroupMembers: ({ personId }) => [{ body: { persons: [personId] } }],
  removeGroupMember: () => [{}],
  createPerson: () => [
    { body: { handles: [{ type: 'EmailAddress', value: ada.email }] } },
    { body: { groups: ['staff'] } },
  ],
  changePerson: () => [
    { body: { handles: [{ ...otherAddress, verified: true }] } },
    { body: { handles: [otherAddress, otherNumber] } },
    { body: { active: true } },
  ],
  deletePerson: () => [{}],
  setPersonGroups: () => [{ body: { groups: ['crew', 'guests'] } }],
  addPersonGroups: () => [{ body: { groups: ['crew'] } }],
  removePersonGroup: () => [{}],
  addPersonIdentity: () => [{ body: { oauth_client_id: 'signet', subject: 'mallory' } }],
  deletePersonIdentity: () => [{}],
  endPersonSessions: () => [{}],
  endPersonSession: () => [{}],
  createWebhook: ({ receiverUrl }) => [{ body: { name: 'New', target_url: receiverUrl('elsewhere-too') } }],
  changeWebhook: ({ receiverUrl }) => [
    { body: { target_url: receiverUrl('elsewhere') } },
    { body: { custom_headers: { 'x-lie': ['yes'] } } },
    { body: { timeout: '100ms' } },
    { body: { name: 'New', enabled: false } },
    { body: { enabled: true } },
  ],
  deleteWebhook: () => [{}],
  signDelivery: () => [{}],
  createTrigger: () => [{ body: hook }, { body: { trigger_type: 'event', trigger_name: 'PersonCreated_v1' } }],
  deleteTrigger: () => [
    { query: '?trigger_type=sync_hook&trigger_name=token_minted' },
    { query: '?trigger_type=event&trigger_name=PersonCreated_v1' },
  ],
  dryRunWebhook: () => [{}],
  rotateVerificationKeys: () => [{ body: { emergency: true } }],
  redeliver: () => [{}],
  redeliverLogout: () => [{}],
  tryDelivery: () => [{}],
  redeliverSpan: () => [{ body: { since: '2026-01-01T00:00:00Z' } }],
  publishTestEvents: () => [{ body: [{ event_name: 'PersonCreated_v1' }] }],
  createOidcCredential: () => [
    {
      body: {
        client_id: otherClient.clientId,
        client_secret: otherClient.clientSecret,
        provider: 'provider_h',
        options: { provider_h: { organization_url: 'https://okta.test' } },
      },
    },
    { body: { client_id: 'third', client_secret: 'x', provider: 'provider_a', active: true } },
  ],
  modifyOidcCredential: () => [
    { body: { label: 'New', options: { provider_a: { authorize_scopes: ['openid'] } } } },
    { body: { active: true } },
  ],
  endSessionsOfOidcCredential: () => [{}],
  deleteOidcCredential: () => [{}],
  createTestSignIn: () => [{}],
  createCredentialLink: () => [{ body: { provider: 'provider_a' } }],
  deleteCredentialLink: () => [{}],
  createDirectory: () => [
    { body: { name: 'New' } },
    { body: { name: 'New', adopt: true, email_domains: ['corp.example'], oauth_client_id: 'okta' } },
  ],
  changeDirectory: () => [
    { body: { name: 'New', on_delete: 'deactivate', group_prefix: 'new-' } },
    { body: { adopt: true, email_domains: ['corp.example'] } },
    { body: { match: 'none', oauth_client_id: null } },
  ],
  deleteDirectory: () => [{ query: '?people=deactivate' }],
  createDirectoryToken: () => [{ body: {} }],
  revokeDirectoryToken: () => [{}],
  createDirectoryLink: () => [{ body: {} }],
  deleteDirectoryLink: () => [{}],
  tieDirectoryGroup: () => [{ body: { group_name: 'staff' } }],
  createConsoleInvitation: () => [{ body: { group: 'staff' } }],
  deleteConsoleInvitation: () => [{}],
  rotateSigningKeys: () => [{ body: {} }],
  createApplication: () => [{ body: { name: 'New', redirect_uris: ['https://evil.example/'] } }],
  changeApplication: () => [
    { body: { groups_claim: false } },
    { body: { redirect_uris: [`${application}callback`, 'https://evil.example/'] } },
  ],
  rotateClientSecret: () => [{}],
  createClientSecret: () => [{}],
  deleteClientSecret: () => [{}],
  deleteApplication: () => [{}],
  createResource: () => [{ body: { identifier: 'https://evil.example', name: 'New', scopes: ['groups'] } }],
  changeResource: () => [{ body: { scopes: ['groups'] } }],
  deleteResource: () => [{}],
}
