import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compareDocuments } from '../../../scripts/contract/compare-documents.ts'
import { compareErrorCodes } from '../../../scripts/contract/compare-error-codes.ts'
import { compareEvents } from '../../../scripts/contract/compare-events.ts'
import { compareMetrics } from '../../../scripts/contract/compare-metrics.ts'
import { compareSettings } from '../../../scripts/contract/compare-settings.ts'
import { currentErrorCodes, currentEvents, currentMetrics, currentSettings } from '../../../scripts/contract/current.ts'
import { reduceDocument } from '../../../scripts/contract/document.ts'
import { keptFor } from '../../../scripts/contract/kept.ts'
import { version } from '../../src/ground/runtime/version.ts'
import { type Signet, startOwnSignet } from '../support/signet.ts'

const kept = keptFor(version)

let signet: Signet
beforeAll(async () => {
  signet = await startOwnSignet()
})
afterAll(() => signet?.stop())

test('The line of this version has a contract', () => {
  expect(kept.map((each) => each.version)).toContain(version)
})

describe.each(kept)('The contract of $version', ({ contract }) => {
  test('Operations, what they take and what they answer are what they were', async () => {
    const { body } = await signet.call('GET', '/openapi.json')
    expect(Object.keys(contract.openapi.paths).length).toBeGreaterThan(80)
    expect(compareDocuments(contract.openapi, reduceDocument(body))).toEqual([])
  })

  test('Errors have their codes, under the statuses that they had', () => {
    expect(Object.keys(contract['error-codes']).length).toBeGreaterThan(50)
    expect(compareErrorCodes(contract['error-codes'], currentErrorCodes())).toEqual([])
  })

  test('Events have their names, numbers and types', () => {
    expect(Object.keys(contract.events.messages).length).toBeGreaterThan(10)
    expect(compareEvents(contract.events, currentEvents())).toEqual([])
  })

  test('Settings have their names and defaults, and take what they took', () => {
    expect(Object.keys(contract.settings).length).toBeGreaterThan(60)
    expect(compareSettings(contract.settings, currentSettings())).toEqual([])
  })

  test('Metrics have their names, types and labels', () => {
    expect(Object.keys(contract.metrics).length).toBeGreaterThan(20)
    expect(compareMetrics(contract.metrics, currentMetrics())).toEqual([])
  })
})
