import type { Act, Change, RecordChange } from '../../ground/http/chain/recorded-change.ts'
import type { Keyring } from '../../ground/keys/index.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { makeId } from '../../ground/runtime/identifiers.ts'
import type { OperatorGroup } from '../organizations/index.ts'
import { createConceal } from './conceal.ts'
import { entryWithin, type NewEntry, writeEntry } from './entry-store.ts'
import { shorten } from './shorten.ts'
import { storedThing } from './stored-thing.ts'

type Recorder = (act: Act) => RecordChange
type Dependencies = { clock: Clock; keyring: Keyring; operatorGroup?: OperatorGroup | undefined }

/** What a person of the operator changes is in the log of that organization, by the operator, and in the person's own by the person. */
export function createRecorder({ clock, keyring, operatorGroup }: Dependencies): Recorder {
  const conceal = createConceal(keyring)
  const toEntry = (
    act: Act,
    organizationId: string,
    { target, before, after, actor = act.actor }: Change,
  ): NewEntry => {
    const now = clock.now()
    const concealed = (thing: object | undefined) => thing && conceal(organizationId, thing)
    const sides = shorten({ before: concealed(before), after: concealed(after) })
    const toJson = (thing: Record<string, unknown> | undefined) =>
      thing ? JSON.stringify(storedThing(thing, target.id)) : null
    return {
      ...act,
      actor,
      id: makeId(now),
      at: toTimestamp(now),
      target,
      before: toJson(sides.before),
      after: toJson(sides.after),
    }
  }
  return (act) => {
    const record = async (...[queries, organizationId, change]: Parameters<RecordChange>) => {
      if (isSame(change)) return
      const { operatorPerson: actor } = act
      const own = actor && operatorGroup?.organizationId
      if (own !== organizationId) await writeEntry(queries, organizationId, toEntry(act, organizationId, change))
      if (!own || !actor) return
      const target = { type: 'organization', id: organizationId } as const
      await writeEntry(queries, own, toEntry(act, own, { ...change, target, actor }))
    }
    return Object.assign(record, {
      within: (...[organizationId, change, changed]: Parameters<RecordChange['within']>) =>
        entryWithin(organizationId, toEntry(act, organizationId, change), changed),
    })
  }
}

const isSame = ({ before, after }: Change) =>
  before !== undefined && after !== undefined && JSON.stringify(before) === JSON.stringify(after)
