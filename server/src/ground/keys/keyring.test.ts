import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createKeyring, KeyringError, type MasterKeys, makeMasterKey, parseMasterKeys } from './keyring.ts'

const context = { organizationId: '0197f1b0-0000-7000-8000-00000000000a', column: 'webhooks.custom_headers' }
const oldKey = randomBytes(32)
const newKey = randomBytes(32)
const keyring = createKeyring([oldKey])

describe('An encrypted value', () => {
  test('An encrypted value decrypts to what was encrypted, text or bytes, empty too', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.uint8Array({ maxLength: 2_000 }), (text, bytes) => {
        expect(keyring.decrypt(keyring.encrypt(text, context), context).toString()).toBe(text)
        expect(keyring.decrypt(keyring.encrypt(Buffer.from(bytes), context), context)).toEqual(Buffer.from(bytes))
      }),
    )
  })

  test('An encrypted value is 37 bytes longer than its content, shows none of it, and is never the same twice', () => {
    const [one, two] = [keyring.encrypt('a secret header', context), keyring.encrypt('a secret header', context)]
    expect(one.length).toBe(15 + 37)
    expect(one.includes('secret')).toBe(false)
    expect(one.subarray(0, 9)).toEqual(two.subarray(0, 9))
    expect(one.subarray(9, 21)).not.toEqual(two.subarray(9, 21))
  })

  test.each([
    ['organization', { ...context, organizationId: '0197f1b0-0000-7000-8000-00000000000b' }],
    ['column', { ...context, column: 'webhooks.custom_header' }],
    ['split of the two', { organizationId: `${context.organizationId}w`, column: context.column.slice(1) }],
  ])('An encrypted value does not decrypt for another %s', (_, other) => {
    expect(() => keyring.decrypt(keyring.encrypt('x', context), other)).toThrow(KeyringError)
  })

  test('An encrypted value decrypts for the same organization written in upper case', () => {
    const upper = { ...context, organizationId: context.organizationId.toUpperCase() }
    expect(keyring.decrypt(keyring.encrypt('x', upper), context).toString()).toBe('x')
  })

  test('An encrypted value does not decrypt with any bit changed, nor cut, nor longer', () => {
    const encrypted = keyring.encrypt('x-api-key: 1234', context)
    for (let bit = 0; bit < encrypted.length * 8; bit++) {
      const changed = Buffer.from(encrypted)
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      expect(() => keyring.decrypt(changed, context)).toThrow(KeyringError)
    }
    for (let length = 0; length < encrypted.length; length++) {
      expect(() => keyring.decrypt(encrypted.subarray(0, length), context)).toThrow(KeyringError)
    }
    expect(() => keyring.decrypt(Buffer.concat([encrypted, Buffer.of(0)]), context)).toThrow(KeyringError)
  })
})

describe('The decryption error', () => {
  const messageOf = (encrypted: Buffer) => {
    try {
      keyring.decrypt(encrypted, context)
    } catch (error) {
      return error instanceof KeyringError ? error.message : error
    }
    return 'opened'
  }

  test('The decryption error tells the three cases apart and where, without the value', () => {
    const where = `${context.column} of organization ${context.organizationId}`
    const encrypted = keyring.encrypt('hunter2', context)
    const elsewhere = keyring.encrypt('hunter2', { ...context, column: 'signing_keys.private_key' })
    expect(messageOf(Buffer.from('hunter2'))).toBe(`${where}: not an encrypted value`)
    expect(messageOf(Buffer.concat([Buffer.of(2), encrypted.subarray(1)]))).toBe(`${where}: not an encrypted value`)
    expect(messageOf(createKeyring([newKey]).encrypt('hunter2', context))).toBe(
      `${where}: encrypted under a master key that was not given`,
    )
    expect(messageOf(elsewhere)).toBe(
      `${where}: changed since it was encrypted, or encrypted for another organization or column`,
    )
  })
})

describe('The change of the master key', () => {
  test('The master keys go old, then old and new, then new and old, then new, with every value readable all the while', () => {
    const steps: MasterKeys[] = [[oldKey], [oldKey, newKey], [newKey, oldKey]]
    const encrypted = steps.map((keys) => createKeyring(keys).encrypt('value', context))
    const both = createKeyring([newKey, oldKey])
    expect(encrypted.map((value) => both.decrypt(value, context).toString())).toEqual(['value', 'value', 'value'])
    const isUnderFirst = (value: Buffer) => value.subarray(0, both.prefix.length).equals(both.prefix)
    expect(encrypted.map(isUnderFirst)).toEqual([false, false, true])

    const reencrypted = encrypted.map((value) => both.encrypt(both.decrypt(value, context), context))
    const after = createKeyring([newKey])
    expect(reencrypted.map((value) => after.decrypt(value, context).toString())).toEqual(['value', 'value', 'value'])
    expect(reencrypted.every(isUnderFirst)).toBe(true)
  })

  test('A stored check value decrypts with a fitting key only, and a start with another key is refused by it', () => {
    const checkContext = { organizationId: 'all', column: 'installation.master_key_check' }
    const check = keyring.encrypt('', checkContext)
    expect(createKeyring([newKey, oldKey]).decrypt(check, checkContext).toString()).toBe('')
    expect(() => createKeyring([newKey]).decrypt(check, checkContext)).toThrow(KeyringError)
  })
})

describe('The master keys of the settings', () => {
  const [first, second] = [makeMasterKey(), makeMasterKey()]

  test('The function parseMasterKeys takes one key, or several in their order, with blanks or a line end around them', () => {
    expect(parseMasterKeys(first)).toEqual({ masterKeys: [Buffer.from(first, 'base64')] })
    expect(parseMasterKeys(`${first}, ${second}\n`)).toEqual({
      masterKeys: [Buffer.from(first, 'base64'), Buffer.from(second, 'base64')],
    })
  })

  test('The function makeMasterKey makes 32 new bytes each time', () => {
    expect(first).toMatch(/^[A-Za-z0-9+/]{43}=$/)
    expect(first).not.toBe(second)
  })

  test.each([
    ['nothing', ''],
    ['a blank', ' '],
    ['31 bytes', randomBytes(31).toString('base64')],
    ['33 bytes', randomBytes(33).toString('base64')],
    ['hex', randomBytes(32).toString('hex')],
    ['base64url', Buffer.alloc(32, 0xff).toString('base64url')],
    ['no padding', first.slice(0, -1)],
    ['a bit set beyond the last byte', `${Buffer.alloc(32).toString('base64').slice(0, -2)}B=`],
    ['a character that is none of base64', `${first.slice(0, 20)}!${first.slice(20)}`],
    ['a line end inside', `${first.slice(0, 20)}\n${first.slice(20)}`],
    ['a comma too many', `${first},`],
    ['a bad second one', `${first},${second.slice(4)}`],
  ])('The function parseMasterKeys refuses %s, showing nothing of it', (_, text) => {
    const problem = 'must be keys of 32 bytes in base64, separated by commas'
    expect(parseMasterKeys(text)).toEqual({ problem })
  })

  test('The function parseMasterKeys takes 8 keys and no more', () => {
    expect(parseMasterKeys(Array(8).fill(first).join())).toHaveProperty('masterKeys.length', 8)
    expect(parseMasterKeys(Array(9).fill(first).join())).toEqual({ problem: 'must be at most 8 keys' })
  })
})

test('A key derived for a purpose is the same wherever the master key is, and another one for another purpose', () => {
  const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const derived = createKeyring([first]).derive('cookies')
  expect(createKeyring([second, first]).derive('cookies')).toEqual([
    ...createKeyring([second]).derive('cookies'),
    ...derived,
  ])
  expect(createKeyring([first]).derive('other')).not.toEqual(derived)
  expect(derived[0]).not.toEqual(first)
})
