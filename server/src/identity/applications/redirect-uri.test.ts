import { describe, expect, test } from 'vitest'
import { brokenUriRule } from './redirect-uri.ts'

const notLoopback = 'must be https unless the host is one of localhost, 127.0.0.1, [::1]'
const noPeriod = 'must be https, or have a scheme such as com.example.app'
const notPublic = 'must be https: only a public application may have a scheme of its own'

describe.each([true, false])('Redirect URIs of an application that is confidential: %s', (confidential) => {
  test.each([
    'https://example.com',
    'https://example.com/callback?tenant=a&b=%20',
    'https://Example.com:8443/a/../b',
    'https://192.0.2.1/callback',
    'https://[2001:db8::1]/callback',
    'https://localhost/callback',
    'http://localhost/callback',
    'http://localhost:3000',
    'http://127.0.0.1:49152/callback',
    'http://[::1]:49152/callback',
  ])('A redirect URI may be %j', (text) => {
    expect(brokenUriRule(text, confidential)).toBeUndefined()
  })

  test.each([
    ['https://example.com/#', 'must not have a fragment'],
    ['https://example.com/a#b', 'must not have a fragment'],
    ['', 'must be absolute, with its scheme in lower case'],
    ['/callback', 'must be absolute, with its scheme in lower case'],
    ['example.com/callback', 'must be absolute, with its scheme in lower case'],
    ['HTTPS://example.com', 'must be absolute, with its scheme in lower case'],
    ['https://example.com/a b', 'must have only the characters of a URI'],
    [' https://example.com', 'must have only the characters of a URI'],
    ['https://example.com\n', 'must have only the characters of a URI'],
    ['https:\\\\example.com', 'must have only the characters of a URI'],
    ['https://ex\u00e4mple.com', 'must have only the characters of a URI'],
    ['https:', 'must have a host'],
    ['https:example.com', 'must have a host'],
    ['https:///example.com', 'must have a host'],
    ['https://?a', 'must have a host'],
    ['https://user@example.com', 'must not have a user or password'],
    ['https://example.com:@other.example', 'must not have a user or password'],
    ['https://example.com:0x', 'must be a valid URI'],
    ['https://*.example.com', 'must have a valid host name'],
    ['http://example.com', notLoopback],
    ['http://10.0.0.1', notLoopback],
    ['http://localhost.example.com', notLoopback],
    ['http://127.0.0.1.example.com', notLoopback],
  ])('A redirect URI may not be %j', (text, rule) => {
    expect(brokenUriRule(text, confidential)).toBe(rule)
  })
})

describe('A scheme of its own (RFC 8252, 7.1)', () => {
  test.each(['com.example.app:/callback', 'com.example.app://callback', 'com.example.app:'])(
    'The redirect URI %s is accepted for public applications',
    (text) => {
      expect(brokenUriRule(text, false)).toBeUndefined()
      expect(brokenUriRule(text, true)).toBe(notPublic)
    },
  )

  test.each(['javascript:alert(1)', 'data:text/html,x', 'myapp://callback', 'ftp://example.com', 'urn:example:x'])(
    'The redirect URI %s is accepted for no application',
    (text) => {
      expect(brokenUriRule(text, false)).toBe(noPeriod)
      expect(brokenUriRule(text, true)).toBe(notPublic)
    },
  )
})
