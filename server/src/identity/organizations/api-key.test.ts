import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { equalSecrets, makeApiKey, readApiKey } from './api-key.ts'

const organizationId = '01a1fdec-4b58-7279-8a15-173fda3083f7'
const characters = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz']

describe('An API key', () => {
  test('An API key starts with the prefix, is of one length, and is looked up by its SHA-256', () => {
    for (let count = 0; count < 1_000; count++) {
      const { key: apiKey, hash } = makeApiKey(organizationId)
      expect(apiKey).toMatch(/^signet_01a1fdec4b5872798a15173fda3083f7[0-9A-Za-z]{43}[0-9a-z]{7}$/)
      expect(hash).toEqual(createHash('sha256').update(apiKey).digest())
      expect(readApiKey(apiKey)).toEqual({ organizationId, hash })
    }
  })

  test('An API key uses every character at every place of its random part', () => {
    const keys = Array.from({ length: 2_000 }, () => makeApiKey(organizationId).key)
    for (let place = 39; place < 82; place++) expect(new Set(keys.map((key) => key[place])).size).toBe(62)
  })

  test('An API key keeps its form: a key handed out once must be accepted for ever', () => {
    const apiKey = 'signet_01a1fdec4b5872798a15173fda3083f70123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg'
    expect(readApiKey(`${apiKey}1pxd2o8`)?.hash.toString('hex')).toBe(
      '6eb9c9cf5b75cfc26e35b4d62ad076d61095ac9b60a26bd9128c47bda5b97b60',
    )
  })
})

describe('Texts that are not looked up', () => {
  const { key: apiKey } = makeApiKey(organizationId)

  test('An API key with any one character changed is not looked up', () => {
    const change = fc.tuple(fc.nat(apiKey.length - 1), fc.constantFrom(...characters, '_', '-', ' ', 'é'))
    fc.assert(
      fc.property(change, ([place, character]) => {
        fc.pre(apiKey[place] !== character)
        expect(readApiKey(apiKey.slice(0, place) + character + apiKey.slice(place + 1))).toBeUndefined()
      }),
      { numRuns: 1_000 },
    )
  })

  test.each([apiKey.slice(0, -8), apiKey.slice(1, -7), `${apiKey.slice(0, -8)}-`, ''])(
    'A text of another form is not looked up, though its checksum is right: %j',
    (body) => {
      expect(readApiKey(body + crc32(body).toString(36).padStart(7, '0'))).toBeUndefined()
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
    expect(readApiKey(text)).toBeUndefined()
  })
})

test('The function equalSecrets compares whole texts, of any lengths', () => {
  expect(equalSecrets('operator key', 'operator key')).toBe(true)
  expect(equalSecrets('', '')).toBe(true)
  expect(equalSecrets('operator key', 'operator kez')).toBe(false)
  expect(equalSecrets('operator key', 'operator key ')).toBe(false)
  expect(equalSecrets('operator key', '')).toBe(false)
})
