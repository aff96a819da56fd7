import { createRemoteJWKSet, type JWTVerifyOptions, jwtVerify } from 'jose'
import { createEnqueueLogouts } from '../../src/delivery/queue/enqueue-logouts.ts'
import { noFailpoint } from '../../src/delivery/queue/index.ts'
import { createLaneWaker, createWake } from '../../src/delivery/queue/wake.ts'
import { openDatabase } from '../../src/ground/database/database.ts'
import type { Clock } from '../../src/ground/runtime/clock.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import type { Connection } from './database.ts'
import type { Received } from './receiver.ts'
import type { Client, Organization } from './signet.ts'

type Logout = { clientId: string; subject?: string; sid?: string }

/** A process that ends sessions and delivers nothing itself, on the database of others that do. */
export function openLogouts(connection: Connection, clock: Clock = { now: Date.now }) {
  const database = openDatabase(connection, 2)
  const onError = (error: unknown) => {
    throw error
  }
  const laneWaker = createLaneWaker({
    database,
    clock,
    workerId: makeId(clock.now()),
    isAlone: false,
    onFailpoint: noFailpoint,
    onError,
  })
  const { wake, allWoken } = createWake({ database, laneWaker, worker: undefined, onFailpoint: noFailpoint })
  const enqueue = createEnqueueLogouts({ clock, wake })
  return {
    /** Committed when it resolves. */
    end: (organization: Organization, ...logouts: Logout[]) =>
      database.transaction((tx) => enqueue(tx, organization.id, logouts)),
    close: async () => {
      await allWoken()
      await database.close()
    },
  }
}

/** An application that wants logout tokens. */
export async function addLogoutApplication(
  client: Client,
  organization: Organization,
  backchannel_logout_uri: string | undefined,
  fields: object = {},
): Promise<string> {
  const body = { name: 'Shop', redirect_uris: ['https://shop.example.com/cb'], backchannel_logout_uri, ...fields }
  const answer = await client.as(organization, 'POST', '/organizations/applications', body)
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  // Its keys are made when somebody first asks for them.
  await client.call('GET', `/oidc/${organization.id}/jwks`)
  return answer.body.result.client_id
}

/** What an application does with a logout token, by a library that nobody has changed. */
export async function verifyLogout(
  client: Client,
  { id }: Organization,
  clientId: string,
  { body }: Pick<Received, 'body'>,
  options: JWTVerifyOptions = {},
) {
  const token = new URLSearchParams(body).get('logout_token') ?? ''
  const keys = createRemoteJWKSet(new URL(`${client.baseUrl}/oidc/${id}/jwks`))
  return jwtVerify(token, keys, {
    issuer: `${client.baseUrl}/oidc/${id}`,
    audience: clientId,
    typ: 'logout+jwt',
    maxTokenAge: '2m',
    ...options,
  })
}
