import { setTimeout as wait } from 'node:timers/promises'
import type { Failure } from '../../../processes/support/balancer.ts'
import { openBrowser } from '../../../support/browser.ts'
import type { Client } from './client.ts'
import type { Directory, Person } from './directory.ts'
import { entraTenant, type Tenant } from './installation.ts'
import type { Links } from './wire.ts'

/** A session that an application has, with `offBegun` of its person when the sign-in began and when it had ended. */
export type Session = { person: Person; sid: string; wasSteady: boolean; begun: number; done: number }

/** Its person was switched off, or removed, after it had begun. */
export const hasEnded = ({ done, person }: Session) => done < person.offDone

export type SignedIn = {
  sessions: Session[]
  /** How many of them have ended. */
  ended(): number
  refused: number
  /** What neither a killed process nor a change of the person explains. */
  unexpected: string[]
  stop(): Promise<void>
}

type Side = { directory: Directory; client: Client; links: Links; tenant: Tenant; idp: string }
type Options = { sides: Side[]; address: string; failures: Failure[]; pauseMs: number; chance: () => number }

/** Persons sign in at a real provider, one after the other, while their directory changes. */
export function startSigningIn({ sides, address, failures, pauseMs, chance }: Options): SignedIn {
  const told = { sessions: [] as Session[], refused: 0, unexpected: [] as string[] }
  let isOver = false
  const anyOf = <Value>(values: Value[]): Value | undefined => values[Math.floor(chance() * values.length)]

  const signIn = async ({ client, links, tenant, idp }: Side, person: Person) => {
    const [failed, begun, wasSteady] = [failures.length, person.offBegun, isSteady(client, person)]
    const browser = openBrowser(() => address)
    try {
      const going = { person: accountOf(person), params: { idp } }
      const { sub, sid } = await tenant.application.signIn(browser, going)
      if (sub !== links.get(person))
        throw new Error(`${person.userName} is ${links.get(person)}, and signed in as ${sub}`)
      told.sessions.push({ person, sid: String(sid), wasSteady, begun, done: person.offBegun })
    } catch (error) {
      const isOfProcess = failures.slice(failed).some(({ path }) => /^\/(oidc|sso)\//.test(path))
      const isSteadyStill = wasSteady && begun === person.offBegun && isSteady(client, person)
      told.refused++
      if (!isOfProcess && isSteadyStill) told.unexpected.push(`sign-in of ${person.userName}: ${describe(error)}`)
    }
  }
  const work = async () => {
    while (!isOver) {
      const side = anyOf(sides)
      const person = side && anyOf([...side.directory.people].filter((one) => side.links.has(one) && one.isActive))
      if (side && person) await signIn(side, person)
      await wait(pauseMs)
    }
  }
  const working = work()
  return Object.assign(told, {
    ended: () => told.sessions.filter(hasEnded).length,
    stop: async () => {
      isOver = true
      await working
    },
  })
}

const isSteady = (client: Client, person: Person) => person.isActive && !person.isGone && client.isSettled(person)

/** At Okta the external id is the subject; at Entra it is the object's id, and the subject another for each application. */
const accountOf = ({ externalId, email, displayName }: Person) => ({
  sub: externalId,
  oid: externalId,
  tid: entraTenant,
  ver: '2.0',
  email,
  name: displayName,
})

/** An application's library says why only beside its message. */
const describe = (error: unknown) => `${error} ${(error as { error_description?: string }).error_description ?? ''}`
