import { describe, expect, test } from 'vitest'
import { compareErrorCodes } from './compare-error-codes.ts'
import { compareEvents, type Events } from './compare-events.ts'
import { compareMetrics } from './compare-metrics.ts'
import { compareSettings, type Setting } from './compare-settings.ts'
import { mustKeep } from './kept.ts'

describe('Settings', () => {
  const kept = { PORT: { default: '80', isSecret: true, mayBeInFile: true, accepted: ['1', '9'] } }
  const PORT: Setting = { default: '80', isSecret: true, mayBeInFile: true, takes: () => true }

  test.each<[string, Record<string, Setting>]>([
    ['PORT is gone', {}],
    ['PORT has the default 81 in place of 80', { PORT: { ...PORT, default: '81' } }],
    ['PORT is not read from a file any more', { PORT: { ...PORT, mayBeInFile: false } }],
    ['PORT is no secret any more', { PORT: { ...PORT, isSecret: false } }],
    ['PORT does not take 9 any more', { PORT: { ...PORT, takes: (value) => value !== '9' } }],
  ])('%s', (problem, now) => {
    expect(compareSettings(kept, now)).toEqual([`${problem}: breaks operators who set it`])
  })

  test('A further setting is an addition', () => {
    expect(compareSettings(kept, { PORT, HOST: PORT })).toEqual([])
  })
})

describe('Metrics', () => {
  const kept = { requests: { type: 'counter', labels: ['status', 'method'] } }

  test.each([
    ['requests is gone', {}],
    ['requests is a gauge in place of a counter', { requests: { ...kept.requests, type: 'gauge' } }],
    [
      'requests has the labels method in place of method, status',
      { requests: { ...kept.requests, labels: ['method'] } },
    ],
    [
      'requests has the labels method, route, status in place of method, status',
      { requests: { ...kept.requests, labels: ['method', 'status', 'route'] } },
    ],
  ])('%s', (problem, now) => {
    expect(compareMetrics(kept, now)).toEqual([`${problem}: breaks dashboards and alerts`])
  })

  test('A further metric is an addition', () => {
    expect(compareMetrics(kept, { ...kept, others: { type: 'gauge', labels: [] } })).toEqual([])
  })
})

describe('Codes of errors', () => {
  test.each<[string, Record<string, number[]>]>([
    ['taken is gone', {}],
    ['taken does not come with 409 any more', { taken: [400] }],
  ])('%s', (problem, now) => {
    expect(compareErrorCodes({ taken: [400, 409] }, now)).toEqual([`${problem}: breaks clients that tell errors by it`])
  })

  test('A further code and a further status are additions', () => {
    expect(compareErrorCodes({ taken: [409] }, { taken: [400, 409], other: [400] })).toEqual([])
  })
})

describe('Events', () => {
  const kept: Events = { messages: { Made_v1: { id: { number: 1, type: 'string' } } }, enums: { Source: { Cloud: 1 } } }
  const withFields = (Made_v1: Events['messages'][string]): Events => ({ ...kept, messages: { Made_v1 } })

  test.each<[string, Events]>([
    ['Made_v1 is gone', { ...kept, messages: {} }],
    ['Made_v1.id is gone', withFields({})],
    ['Made_v1.id has the number 2 in place of 1', withFields({ id: { number: 2, type: 'string' } })],
    ['Made_v1.id is uint64 in place of string', withFields({ id: { number: 1, type: 'uint64' } })],
    [
      'Made_v1.id is a list of string in place of string',
      withFields({ id: { number: 1, type: 'string', list: true } }),
    ],
    ['Made_v1.id may be absent now', withFields({ id: { number: 1, type: 'string', optional: true } })],
    ['Made_v1.name has the number 1, which was that of id', withFields({ name: { number: 1, type: 'string' } })],
    ['Source is gone', { ...kept, enums: {} }],
    ['Source.Cloud is gone in place of 1', { ...kept, enums: { Source: {} } }],
    ['Source.Cloud is 2 in place of 1', { ...kept, enums: { Source: { Cloud: 2 } } }],
  ])('%s', (problem, now) => {
    expect(compareEvents(kept, now)).toContain(`${problem}: breaks receivers, and readers of the feed`)
  })

  test('Further events, fields and values are additions', () => {
    const { Made_v1 = {} } = kept.messages
    const now: Events = {
      messages: { Made_v1: { ...Made_v1, name: { number: 2, type: 'string' } }, Made_v2: {} },
      enums: { Source: { Cloud: 1, Gate: 3 }, Other: {} },
    }
    expect(compareEvents(kept, now)).toEqual([])
  })
})

test.each([
  ['0.1.1', '0.1.0', true],
  ['0.1.0', '0.1.1', true],
  ['0.2.0', '0.1.0', false],
  ['1.0.0', '0.9.0', false],
  ['1.4.0', '1.0.0', true],
  ['2.0.0', '1.9.9', false],
])('Whether %s must keep the contract of %s: %s', (version, kept, must) => {
  expect(mustKeep(version, kept)).toBe(must)
})
