import { describe, expect, test } from 'vitest'
import { eventNames } from '../events/index.ts'
import { readTrigger, toTriggerRecord } from './trigger.ts'

const read = (...[trigger_type, trigger_name, on_failure]: [string, string, string?]) =>
  readTrigger({ trigger_type, trigger_name, ...(on_failure && { on_failure }) } as Parameters<typeof readTrigger>[0])

describe('A trigger', () => {
  test.each(eventNames)('The trigger event %s, also written events, reads back as event', (name) => {
    for (const type of ['event', 'events'])
      expect(toTriggerRecord(read(type, name))).toStrictEqual({ trigger_type: 'event', trigger_name: name })
  })

  test.each([
    [undefined, 'fail'],
    ['fail', 'fail'],
    ['continue', 'continue'],
  ])('The trigger sync_hook token_minted with on_failure %s reads back with %s', (onFailure, shown) => {
    expect(toTriggerRecord(read('sync_hook', 'token_minted', onFailure))).toStrictEqual({
      trigger_type: 'sync_hook',
      trigger_name: 'token_minted',
      on_failure: shown,
    })
  })
})

describe('A refused trigger', () => {
  test.each(eventNames)('A trigger sync_hook with the event %s is refused', (name) => {
    expect(() => read('sync_hook', name)).toThrow('trigger_name: must be one of token_minted')
  })

  test.each(['event', 'events'])('A trigger %s with token_minted is refused', (type) => {
    expect(() => read(type, 'token_minted')).toThrow('trigger_name: must be one of AuthenticationSucceeded_v1')
  })

  test.each(['fail', 'continue'])('A trigger event with on_failure %s is refused', (onFailure) => {
    expect(() => read('event', 'PersonCreated_v1', onFailure)).toThrow('on_failure: is for the trigger_type sync_hook')
  })
})
