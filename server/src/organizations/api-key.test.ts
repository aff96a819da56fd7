import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { equalSecrets, hashApiKey, makeApiKey } from './api-key.ts'

const characters = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz']

describe('An API key', () => {
  test('An API key starts with the prefix, is of one length, and is looked up by its SHA-256', () => {
    for (let count = 0; count < 1_000; count++) {
      const { apiKey, hash } = makeApiKey()
      expect(apiKey).toMatch(/^signet_[0-9A-Za-z]{43}[0-9a-z]{7}$/)
      expect(hash).toEqual(createHash('sha256').update(apiKey).digest())
      expect(hashApiKey(apiKey)).toEqual(hash)
    }
  })

  test('An API key uses every character at every place of its random part', () => {
    const keys = Array.from({ length: 2_000 }, () => makeApiKey().apiKey)
    for (let place = 7; place < 50; place++) expect(new Set(keys.map((key) => key[place])).size).toBe(62)
  })

  test('An API key keeps its form: a key handed out once must be accepted for ever', () => {
    const apiKey = 'signet_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg'
    expect(hashApiKey(`${apiKey}0nvhiq6`)?.toString('hex')).toBe(
      'aab97d429d553feb6f1b13d3a02894669299b78acf024c099d18e748dc2a5786',
    )
  })
})

describe('Texts that are not looked up', () => {
  const { apiKey } = makeApiKey()

  test('An API key with any one character changed is not looked up', () => {
    const change = fc.tuple(fc.nat(apiKey.length - 1), fc.constantFrom(...characters, '_', '-', ' ', 'é'))
    fc.assert(
      fc.property(change, ([place, character]) => {
        fc.pre(apiKey[place] !== character)
        expect(hashApiKey(apiKey.slice(0, place) + character + apiKey.slice(place + 1))).toBeUndefined()
      }),
      { numRuns: 1_000 },
    )
  })

  test.each([apiKey.slice(0, -8), apiKey.slice(1, -7), `${apiKey.slice(0, -8)}-`, ''])(
    'A text of another form is not looked up, though its checksum is right: %j',
    (body) => {
      expect(hashApiKey(body + crc32(body).toString(36).padStart(7, '0'))).toBeUndefined()
    },
  )

  test.each([
    ['nothing', ''],
    ['the prefix', 'signet_'],
    ['a key cut short', apiKey.slice(0, -1)],
    ['a longer key', `${apiKey}0`],
    ['a key with a line end', `${apiKey}\n`],
    ['a key after a blank', ` ${apiKey}`],
    ['two keys', `${apiKey},${apiKey}`],
  ])('A text that is %s is not looked up', (_, text) => {
    expect(hashApiKey(text)).toBeUndefined()
  })
})

test('The function equalSecrets compares whole texts, of any lengths', () => {
  expect(equalSecrets('operator key', 'operator key')).toBe(true)
  expect(equalSecrets('', '')).toBe(true)
  expect(equalSecrets('operator key', 'operator kez')).toBe(false)
  expect(equalSecrets('operator key', 'operator key ')).toBe(false)
  expect(equalSecrets('operator key', '')).toBe(false)
})
