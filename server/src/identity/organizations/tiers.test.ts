import { describe, expect, test } from 'vitest'
import { builtInTiers, limitsOf, parseTiers } from './tiers.ts'

const parse = (tiers: unknown) => parseTiers(JSON.stringify(tiers))

describe('The tiers of the settings file', () => {
  test('Tiers of the settings file are added to the built-in ones and may replace them', () => {
    expect(parse({ gold: { max_groups: 0 }, free: { max_webhooks: 9 } })).toEqual({
      value: { unlimited: {}, gold: { max_groups: 0 }, free: { max_webhooks: 9 } },
    })
  })

  test.each([
    [[], 'must be a JSON object of tiers'],
    [{ gold: 5 }, 'gold: must be an object of limits'],
    [{ gold: { max_group: 5 } }, 'gold.max_group: is not one of max_groups, max_persons, max_webhooks'],
    [{ gold: { max_groups: -1 } }, 'gold.max_groups: must be an integer of 0 or more'],
    [{ gold: { max_groups: 1.5 } }, 'gold.max_groups: must be an integer of 0 or more'],
    [{ gold: { max_groups: null } }, 'gold.max_groups: must be an integer of 0 or more'],
  ])('The tiers %j are refused: %s', (tiers, problem) => {
    expect(parse(tiers)).toEqual({ problem })
  })
})

describe('The limits of a tier', () => {
  test('A tier that is in the settings has its limits', () => {
    expect(limitsOf(builtInTiers, 'unlimited')).toEqual({})
    expect(limitsOf(builtInTiers, 'free')).toEqual({ max_groups: 10, max_persons: 1000, max_webhooks: 5 })
  })

  test.each(['gold', 'constructor', '__proto__'])(
    'A tier that was taken out of the settings lets nothing be added: %s',
    (name) => {
      expect(limitsOf(builtInTiers, name)).toEqual({ max_groups: 0, max_persons: 0, max_webhooks: 0 })
    },
  )
})
