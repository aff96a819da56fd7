import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toEmailDomain } from './email-domain.ts'

const label63 = 'a'.repeat(63)

describe('An e-mail domain', () => {
  test.each([
    ['example.com', 'example.com'],
    ['Mail.EXAMPLE.com', 'mail.example.com'],
    ['a-b.c2.io', 'a-b.c2.io'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
    ['日本。jp', 'xn--wgv71a.jp'],
    ['example.xn--p1ai', 'example.xn--p1ai'],
    [`${label63}.com`, `${label63}.com`],
  ])('The e-mail domain %s is stored as %s', (domain, stored) => {
    expect(toEmailDomain(domain)).toBe(stored)
  })

  test('An e-mail domain has at most 253 characters', () => {
    const domain = `${`${label63}.`.repeat(3)}${'a'.repeat(57)}.com`
    expect(toEmailDomain(domain)).toBe(domain)
    expect(toEmailDomain(`a${domain}`)).toBeUndefined()
  })

  test.each([
    '',
    'localhost',
    'com',
    'example.com.',
    '.example.com',
    'example..com',
    '-a.com',
    'a-.com',
    'exa_mple.com',
    '*.example.com',
    `${label63}a.com`,
    'a.com,b.com',
    'jo@example.com',
    'https://example.com',
    'example.com/path',
    'example.com:443',
    'example.com?x',
    'example.com#x',
    'example.com\\x',
    'ex%41mple.com',
    ' example.com',
    'example.com\n',
    'exam\tple.com',
    'exam\u00adple.com',
    'xn--iñvalid.com',
    '1.2.3.4',
    '127.1',
    '0x7f.1',
    '[::1]',
    'example.123',
  ])('The e-mail domain %j is refused', (domain) => {
    expect(toEmailDomain(domain)).toBeUndefined()
  })

  test('An e-mail domain as it is stored stays as it is', () => {
    fc.assert(
      fc.property(fc.domain(), (domain) => {
        const stored = toEmailDomain(domain) as string
        expect(stored).toBe(domain.toLowerCase())
        expect(toEmailDomain(stored)).toBe(stored)
      }),
    )
  })
})
