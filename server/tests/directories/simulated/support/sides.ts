import { chanceOf } from '../../../faults/support/suite.ts'
import { type Client, createClient } from './client.ts'
import { createDirectory, type Directory, type Person } from './directory.ts'
import { createEntra, entraFlag } from './entra.ts'
import type { Tenant, TiedAccess } from './installation.ts'
import { createOkta } from './okta.ts'
import { createRandomChanges, type RandomChanges } from './random-changes.ts'
import { createRequests, type Requests } from './requests.ts'
import type { Links } from './wire.ts'

/** A directory with its client, and what that knows of Signet. */
export type Side = {
  tenant: Tenant
  idp: string
  directory: Directory
  random: RandomChanges
  client: Client
  requests: Requests
  links: Links
  /** Persons who were created inactive: no event says so. */
  bornInactive: Set<Person>
}

/** Entra gives up, and comes back with its next cycle; Okta repeats until it has an answer. */
const tries = { entra: 3, okta: Number.POSITIVE_INFINITY }

/** In each organization an Entra and an Okta; each of the four speaks in another way. */
export const openSides = (tenants: Tenant[]): Side[] =>
  tenants.flatMap((tenant, index) => [entraOf(tenant, index > 0), oktaOf(tenant, index > 0)])

function entraOf(tenant: Tenant, isFlagged: boolean): Side {
  const ground = layGround(tenant, tenant.directories.entra, isFlagged ? 'flagged Entra' : 'Entra', true)
  const requests = createRequests({
    ...tenant.directories.entra,
    suffix: isFlagged ? entraFlag : '',
    tries: tries.entra,
  })
  const onCreate = (person: Person) => void ground.bornInactive[person.isActive ? 'delete' : 'add'](person)
  const dialect = createEntra({ ...ground, requests, isFlagged, onCreate })
  return { ...ground, requests, client: createClient({ ...ground, dialect }) }
}

function oktaOf(tenant: Tenant, isWizard: boolean): Side {
  const ground = layGround(tenant, tenant.directories.okta, isWizard ? 'Okta by PUT' : 'Okta by PATCH', false)
  const requests = createRequests({ ...tenant.directories.okta, tries: tries.okta })
  const dialect = createOkta({ ...ground, requests, isWizard })
  return { ...ground, requests, client: createClient({ ...ground, dialect }) }
}

function layGround(tenant: Tenant, { domain, idp }: TiedAccess, name: string, deletes: boolean) {
  const chance = chanceOf(name)
  const directory = createDirectory(name)
  const random = createRandomChanges(directory, { domain, deletes, chance })
  return { tenant, idp, directory, random, chance, links: new Map(), bornInactive: new Set<Person>() }
}
