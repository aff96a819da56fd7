import { Type } from 'typebox'
import type { Database, Transaction } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import type { RecordChange } from '../../ground/http/chain/recorded-change.ts'
import { closed, named, orAbsent } from '../../ground/http/chain/schemas.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import { makeId } from '../../ground/runtime/identifiers.ts'
import { insertApiKey } from './api-key-store.ts'
import { createdKey, newApiKey } from './new-api-key.ts'
import { organizationFields, tierName } from './organization-record.ts'
import { insertOrganization } from './organization-store.ts'
import { defaultTier, type Tiers } from './tiers.ts'

/** So that no entry of the audit log is of a key without a name. */
const firstKeyName = 'First key'

type CreateSigningKeys = (tx: Transaction, organizationId: string) => Promise<unknown>
type NewOrganization = { name: string; pricingTier: string }

/** A new organization with its first API key, which is shown this once, and its signing keys: all or nothing. */
export async function createOrganization(
  tx: Transaction,
  { name, pricingTier }: NewOrganization,
  { clock, createSigningKeys, record }: { clock: Clock; createSigningKeys: CreateSigningKeys; record: RecordChange },
): Promise<{ id: string; apiKey: string }> {
  const now = clock.now()
  const id = makeId(now)
  const { apiKey, key } = newApiKey(id, { name: firstKeyName }, now)
  const organization = { id, name, pricing_tier: pricingTier, created_at: new Date(now) }
  await insertOrganization(tx, organization)
  await insertApiKey(tx, id, key)
  await createSigningKeys(tx, id)
  const after = { ...organization, api_key: apiKey }
  await record(tx, id, { target: { type: 'organization', id }, after })
  return { id, apiKey }
}

type Dependencies = { database: Database; clock: Clock; tiers: Tiers; createSigningKeys: CreateSigningKeys }

const newOrganization = (tiers: Tiers) =>
  named(
    'NewOrganization',
    closed({ name: organizationFields.name, pricing_tier: Type.Optional(orAbsent(tierName(tiers))) }),
  )

const CreatedOrganization = named(
  'CreatedOrganization',
  Type.Object(
    { ...organizationFields, api_key: createdKey },
    { description: 'A new organization, with its first API key.' },
  ),
)

export const createOrganizationOperation = ({ database, tiers, ...dependencies }: Dependencies) =>
  operation({
    id: 'createOrganization',
    method: 'POST',
    path: '/organizations',
    access: 'operator',
    tag: 'Organizations',
    summary: 'Create an organization',
    description:
      'Makes an organization with an admin key that does not expire. The key is shown this once. Names need ' +
      `not be unique. Without \`pricing_tier\` it is on the tier \`${defaultTier}\`.`,
    body: newOrganization(tiers),
    status: 201,
    result: CreatedOrganization,
    handle: async ({ record, body: { name, pricing_tier } }) => {
      const pricingTier = pricing_tier ?? defaultTier
      const { id, apiKey } = await database.transaction((tx) =>
        createOrganization(tx, { name, pricingTier }, { ...dependencies, record }),
      )
      return { id, name, pricing_tier: pricingTier, api_key: apiKey }
    },
  })
