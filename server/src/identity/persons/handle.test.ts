import { describe, expect, test } from 'vitest'
import { parseHandle, readHandle } from './handle.ts'

const keyOf = (value: string) => readHandle('EmailAddress', value)?.key
const label = (length: number) => 'd'.repeat(length)

describe('An e-mail address', () => {
  test.each([
    ['jo@example.com', 'jo@example.com'],
    ['Jo.Doe@Example.COM', 'jo.doe@example.com'],
    ['jo+tag@mail.example.co', 'jo+tag@mail.example.co'],
    ["!#$%&'*+-/=?^_`{|}~@example.com", "!#$%&'*+-/=?^_`{|}~@example.com"],
    ['1@2.example', '1@2.example'],
    ['jo@BÜCHER.example', 'jo@xn--bcher-kva.example'],
    ['jo@xn--BCHER-kva.example', 'jo@xn--bcher-kva.example'],
    ['jo@ｅxample。com', 'jo@example.com'],
    ['jo@faß.example', 'jo@xn--fa-hia.example'],
    // Only ASCII letters lose their case: what other letters mean is the mail server's business.
    ['ÉVE@example.com', 'Éve@example.com'],
    ['İ@example.com', 'İ@example.com'],
    ['jose\u0301@example.com', 'jos\u00e9@example.com'],
    ['e\u0302\u0323@example.com', '\u1ec7@example.com'],
    ['\u212a1@example.com', 'k1@example.com'],
    ['用户@例え.テスト', '用户@xn--r8jz45g.xn--zckzah'],
  ])('The e-mail address %s has the key %s', (value, key) => {
    expect(readHandle('EmailAddress', value)).toEqual({ type: 'EmailAddress', value, key })
  })

  test('An e-mail address has 1 to 64 characters before the @, 254 in all, 63 in a label', () => {
    expect(keyOf(`${'a'.repeat(64)}@example.com`)).toBeDefined()
    expect(keyOf(`${'a'.repeat(65)}@example.com`)).toBeUndefined()
    expect(keyOf(`a@${label(63)}.com`)).toBeDefined()
    expect(keyOf(`a@${label(64)}.com`)).toBeUndefined()
    const domain = `${label(63)}.${label(63)}.${label(57)}.com`
    expect(keyOf(`${'a'.repeat(64)}@${domain}`)).toHaveLength(254)
    expect(keyOf(`${'a'.repeat(64)}@d${domain}`)).toBeUndefined()
  })

  test('An e-mail address has a domain of at most 253 characters as A-labels, also where it is shorter as given', () => {
    const chinese = '例子一二三四五六七八九十'
    expect(keyOf(`a@${`${chinese}.`.repeat(4)}com`)).toMatch(/^a@(xn--[a-z0-9]+\.){4}com$/)
    expect(keyOf(`a@${`${chinese}.`.repeat(8)}com`)).toBeUndefined()
  })

  test.each([
    '',
    'jo',
    '@',
    // U+037E is a semicolon once it is composed.
    'a\u037eb@example.com',
    '@example.com',
    'jo@',
    'jo@example',
    'jo@localhost',
    'jo@@example.com',
    'jo@example.com@example.com',
    'jo@example.com.',
    'jo@.example.com',
    'jo@example..com',
    'jo@-example.com',
    'jo@example-.com',
    'jo@exa_mple.com',
    'jo@example.123',
    'jo@127.0.0.1',
    'jo@127.1',
    'jo@2130706433',
    'jo@0x7f.1',
    'jo@[127.0.0.1]',
    'jo@[::1]',
    'jo@example.com:80',
    'jo@example.com/path',
    'jo@example.com?query',
    'jo@example.com#hash',
    'jo@ex%61mple.com',
    'jo@example\\.com',
    'jo@exa mple.com',
    'jo@exa\tmple.com',
    'jo@example.com\n',
    'jo@exa\u00admple.com',
    'jo@exa\u200bmple.com',
    'jo@exa\u3000mple.com',
    '.jo@example.com',
    'jo.@example.com',
    'jo..doe@example.com',
    'jo doe@example.com',
    'jo\u00a0doe@example.com',
    'jo\u200bdoe@example.com',
    'jo\0@example.com',
    'jo\n@example.com',
    '"jo"@example.com',
    'Jo <jo@example.com>',
    'jo(comment)@example.com',
    'jo,doe@example.com',
    'jo;doe@example.com',
    'jo:doe@example.com',
    'jo\\doe@example.com',
    'mailto:jo@example.com',
  ])('An e-mail address is not %j', (value) => {
    expect(keyOf(value)).toBeUndefined()
  })
})

describe('A phone number', () => {
  test.each(['+12', '+12025550123', '+123456789012345'])('The phone number %s is its own key', (value) => {
    expect(readHandle('PhoneNumber', value)).toEqual({ type: 'PhoneNumber', value, key: value })
  })

  test.each([
    '',
    '+',
    '+1',
    '12025550123',
    '0012025550123',
    '+02025550123',
    '+1234567890123456',
    '+1 202 555 0123',
    '+1-202-555-0123',
    '++12025550123',
    '+12025550123\n',
    ' +12025550123',
    '+1202555012x',
    '+٠١٢٣',
    '+１2025550123',
  ])('A phone number is not %j', (value) => {
    expect(readHandle('PhoneNumber', value)).toBeUndefined()
  })
})

describe('A handle in a query', () => {
  test.each([
    ['EmailAddress:JO@example.com', 'jo@example.com'],
    ['PhoneNumber:+12025550123', '+12025550123'],
    ['PhoneNumber: 12025550123', '+12025550123'],
    ['EmailAddress:jo tag@example.com', 'jo+tag@example.com'],
  ])('The query %j finds the handle %s', (text, key) => {
    expect(parseHandle(text)?.key).toBe(key)
  })

  test.each([
    '',
    ':',
    'EmailAddress',
    'EmailAddress:',
    'jo@example.com',
    'emailaddress:jo@example.com',
    'Username:jo',
    'PhoneNumber:12025550123',
    'PhoneNumber:jo@example.com',
    'EmailAddress:+12025550123',
    ' EmailAddress:jo@example.com',
  ])('The query %j is no handle', (text) => {
    expect(parseHandle(text)).toBeUndefined()
  })
})
