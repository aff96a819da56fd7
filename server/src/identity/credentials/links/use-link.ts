import { type Static, Type } from 'typebox'
import type { Database } from '../../../ground/database/database.ts'
import { conflict, noOpenLink } from '../../../ground/errors.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { closed, named } from '../../../ground/http/chain/schemas.ts'
import type { CallerLimit } from '../../../ground/http/socket/rate-limit.ts'
import type { Keyring } from '../../../ground/keys/index.ts'
import { type Clock, toTimestamp } from '../../../ground/runtime/clock.ts'
import { createTokenAttempts, findOrganization, LinkToken, refuseIfMoving } from '../../organizations/index.ts'
import {
  addCredential,
  client_secret,
  credentialFields,
  emptyFields,
  mergeFields,
  type OnChange,
  Options,
} from '../index.ts'
import { type Link, takeOpenLink } from './link-store.ts'
import { links } from './links.ts'

const LinkedCredential = named(
  'LinkedCredential',
  closed(
    {
      token: LinkToken,
      client_id: credentialFields.client_id,
      client_secret,
      options: Type.Optional(Options),
    },
    {
      examples: [{ token: '0'.repeat(96), client_id: '5e0b7d9c.apps.example.com', client_secret: 'GOCSPX-2nQ7' }],
    },
  ),
)
type LinkedCredential = Static<typeof LinkedCredential>

type Dependencies = {
  database: Database
  clock: Clock
  keyring: Keyring
  baseUrl: string
  onChange: OnChange
  callerLimit: CallerLimit
}

/** Whatever is refused rolls back, and leaves the link open. */
export const useLink = ({ database, clock, callerLimit, ...adding }: Dependencies) => {
  const attempts = createTokenAttempts({ database, clock }, links)
  return operation({
    id: 'useCredentialLink',
    method: 'POST',
    path: '/console/link/credential',
    access: 'link',
    tag: 'SSO credentials',
    summary: 'Create a credential through a link',
    description:
      'No key is needed. The credential has the provider, the label and the callback of the link. It is inactive until an admin ' +
      'key sets `active`. The link is used up; what is refused leaves it open.\n\nAfter twenty attempts with made-up tokens from ' +
      'one address in an hour: 429.',
    body: LinkedCredential,
    status: 201,
    refusals: [409, 429],
    callerLimit,
    handle: ({ body: { token, ...client }, caller, record }) =>
      attempts(token, caller.clientAddress, ({ organizationId, hash }) =>
        database.transaction(async (tx) => {
          const link = await takeOpenLink(tx, organizationId, hash, toTimestamp(clock.now()))
          await refuseIfMoving(tx, organizationId)
          if (!link || !(await findOrganization(tx, organizationId))) throw noOpenLink()
          const actor = { type: 'link' as const, id: link.id, name: link.label || null }
          const credential = {
            ...credentialOf(link, client),
            waits_since: new Date(clock.now()),
            waits_for: 'link' as const,
          }
          const added = await addCredential(tx, organizationId, credential, {
            ...adding,
            record: (...[queries, of, change]) => record(queries, of, { ...change, actor }),
          })
          if (!added) throw clientIdNotUsable()
        }),
      ),
  })
}

/** Throws a 400 where the options are not those of the provider. */
const credentialOf = ({ id, provider, label }: Link, { options = {}, ...client }: Omit<LinkedCredential, 'token'>) => ({
  id,
  provider,
  ...client,
  ...mergeFields(emptyFields, provider, { label, options }),
  active: false,
})

/** Says no more of the organization's other credentials. */
const clientIdNotUsable = () => conflict('client_id_not_usable', 'client_id: cannot be used with this link')
