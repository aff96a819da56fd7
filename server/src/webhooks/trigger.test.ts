import { describe, expect, test } from 'vitest'
import { eventNames } from '../events/index.ts'
import { readTrigger, toTriggerRecord } from './trigger.ts'

const read = (...[trigger_type, trigger_name, on_failure]: [string, string, string?]) =>
  readTrigger({ trigger_type, trigger_name, ...(on_failure && { on_failure }) } as Parameters<typeof readTrigger>[0])

describe('a trigger', () => {
  test.each(eventNames)('event %s, also written events, reads back as event', (name) => {
    for (const type of ['event', 'events'])
      expect(toTriggerRecord(read(type, name))).toStrictEqual({ trigger_type: 'event', trigger_name: name })
  })

  test.each([
    [undefined, 'fail'],
    ['fail', 'fail'],
    ['continue', 'continue'],
  ])('sync_hook token_minted with on_failure %s reads back with %s', (given, shown) => {
    expect(toTriggerRecord(read('sync_hook', 'token_minted', given))).toStrictEqual({
      trigger_type: 'sync_hook',
      trigger_name: 'token_minted',
      on_failure: shown,
    })
  })
})

describe('is refused', () => {
  test.each(eventNames)('sync_hook with the event %s', (name) => {
    expect(() => read('sync_hook', name)).toThrow('trigger_name: must be one of token_minted')
  })

  test.each(['event', 'events'])('%s with token_minted', (type) => {
    expect(() => read(type, 'token_minted')).toThrow('trigger_name: must be one of AuthenticationSucceeded_v1')
  })

  test.each(['fail', 'continue'])('event with on_failure %s', (onFailure) => {
    expect(() => read('event', 'PersonCreated_v1', onFailure)).toThrow('on_failure: is for the trigger_type sync_hook')
  })
})
