import { describe, expect, test } from 'vitest'
import { checkTargetUrl } from './target-url.ts'

const start = 'must start with https:// and a host'
const blank = 'must not contain white space or control characters'
const slash = 'must not contain a back slash'
const user = 'must not have a user or password'
const query = 'must not have a query'
const fragment = 'must not have a fragment'
const encoded = 'must not have a percent-encoded host'
const port = 'must have a port from 1 to 65535, or none'
const address = 'must not be an IP address'
const local = 'must not be localhost'
const dot = 'must not have a host that ends in a dot'
const invisibleHost = 'must not have a host with invisible characters'
const name = 'must have a valid host name'
const long = 'must be at most 2048 characters'
const longEncoded = 'must be at most 2048 characters when percent-encoded'

const listen = '; signet listen --forward-to http://localhost:3000/hook brings webhooks to your own machine'

describe('Refused target URLs', () => {
  test.each([
    ['', start],
    ['https', start],
    ['https:', start],
    ['https://', start],
    ['https:///', start],
    ['https:///x', start],
    ['https:////example.com', start],
    ['https:x', start],
    ['https:example.com/hook', start],
    ['https:/example.com', start],
    ['https:\\\\example.com', start],
    ['https://\\example.com', start],
    ['https://?', start],
    ['https://#', start],
    ['http://example.com', start],
    ['HTTPS://example.com', start],
    ['Https://example.com', start],
    ['ftp://example.com', start],
    ['wss://example.com', start],
    ['javascript:alert(1)', start],
    ['//example.com', start],
    ['example.com', start],
    ['\u017fttps://example.com', start],
    [' https://example.com', blank],
    ['https://example.com ', blank],
    ['https://example.com/a b', blank],
    ['https://example.com\n', blank],
    ['https://example.com/\r\nx-header: 1', blank],
    ['ht\ttps://example.com', blank],
    ['https://exam\tple.com', blank],
    ['https://exam\nple.com', blank],
    ['https://example.com/\u0000', blank],
    ['https://example.com/\u007f', blank],
    ['https://example.com/\u0085', blank],
    ['https://example.com/\u00a0', blank],
    ['https://example.com/\u2028', blank],
    ['https://example.com/\u3000', blank],
    ['\ufeffhttps://example.com', blank],
    ['https://example.com/\ud800', blank],
    ['https://example.com\\@evil.test', slash],
    ['https://example.com\\hook', slash],
    ['https://example.com/a\\b', slash],
    ['https://example.com/hook?', query],
    ['https://example.com?a=b', query],
    ['https://example.com/hook?a=b#c', query],
    ['https://example.com/hook#', fragment],
    ['https://example.com#c', fragment],
    ['https://user@example.com', user],
    ['https://user:password@example.com/hook', user],
    ['https://@example.com', user],
    ['https://:@example.com', user],
    ['https://example.com@127.0.0.1', user],
    ['https://example.com:443@evil.test', user],
    ['https://%65xample.com', encoded],
    ['https://example%2ecom', encoded],
    ['https://127%2e0.0.1', encoded],
    ['https://%31%32%37.0.0.1', encoded],
    ['https://local%68ost', encoded],
    ['https://example.com%00.evil.test', encoded],
    ['https://example.com:', port],
    ['https://example.com:/hook', port],
    ['https://example.com:0', port],
    ['https://example.com:0443', port],
    ['https://example.com:000000000443', port],
    ['https://example.com:+443', port],
    ['https://example.com:-1', port],
    ['https://example.com:x', port],
    ['https://example.com:443:443', port],
    ['https://example.com:\u0661', port],
    ['https://example.com:123456', port],
    ['https://example.com:65536', name],
    ['https://:443', name],
    ['https://127.0.0.1', address],
    ['https://127.0.0.1:8443/hook', address],
    ['https://8.8.8.8', address],
    ['https://10.0.0.1.', address],
    ['https://2130706433', address],
    ['https://0', address],
    ['https://0x', address],
    ['https://017700000001', address],
    ['https://0x7f000001', address],
    ['https://0X7F.0.0.1', address],
    ['https://0177.0.0.01', address],
    ['https://0x7f.1', address],
    ['https://127.1', address],
    ['https://127.0.1', address],
    ['https://1', address],
    ['https://\uff11\uff12\uff17.0.0.1', address],
    ['https://127\u30020\uff0e0\uff611', address],
    ['https://\u2460\u2461\u2466.\u24ea.\u24ea.\u2460', address],
    ['https://\u{1d7d9}\u{1d7da}\u{1d7df}.0.0.1', address],
    ['https://[::1]', address],
    ['https://[::]/hook', address],
    ['https://[::ffff:127.0.0.1]:443', address],
    ['https://[::ffff:7f00:1]', address],
    ['https://[fe80::1]', address],
    ['https://[2001:db8::1]', address],
    ['https://[v1.x]', address],
    ['https://[', address],
    ['https://1.2.3.4.5', name],
    ['https://256.1.1.1', name],
    ['https://4294967296', name],
    ['https://09.1.1.1', name],
    ['https://example.1', name],
    ['https://example.0x7f', name],
    ['https://localhost', local],
    ['https://LOCALHOST/hook', local],
    ['https://localhost:8443', local],
    ['https://hooks.localhost', local],
    ['https://a.b.LocalHost', local],
    ['https://\uff4c\uff4f\uff43\uff41\uff4c\uff48\uff4f\uff53\uff54', local],
    ['https://local\u00adhost', local],
    ['https://local\u200bhost', local],
    ['https://hooks\u3002localhost', local],
    ['https://\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3', local],
    ['https://localhost.', dot],
    ['https://example.com.', dot],
    ['https://example.com.:443/hook', dot],
    ['https://example.com\u3002', dot],
    ['https://.', dot],
    ['https://..', dot],
    ['https://.example.com', name],
    ['https://example..com', name],
    ['https://example\u3002\u3002com', name],
    ['https://\u00ad', name],
    ['https://*.example.com', name],
    ['https://exa`mple.com', name],
    ['https://example.com,evil.test', name],
    ['https://example.com;x', name],
    ['https://exam"ple.com', name],
    ["https://exam'ple.com", name],
    ['https://$(id).example.com', name],
    ['https://<b>', name],
    ['https://example.com^x', name],
    ['https://example.com|x', name],
    ['https://exam]ple.com', name],
    ...['\u00ad', '\u034f', '\u180e', '\u200b', '\u2060', '\u2064', '\u3164', '\ufe0f', '\u{e0100}'].map(
      (invisible): [string, string] => [`https://exam${invisible}ple.com/hook`, invisibleHost],
    ),
    ...['\u061c', '\u200c', '\u200d', '\u202e', '\ufff9', '\u{e0061}'].map((invisible): [string, string] => [
      `https://exam${invisible}ple.com/hook`,
      name,
    ]),
    ['https://example.com\uff0fx', name],
    ['https://example.com\uff1a443', name],
    ['https://example.com\uff1fx', name],
    ['https://user\uff20example.com', name],
    [`https://${'a'.repeat(64)}.com`, name],
    [`https://${'a.'.repeat(127)}com`, name],
    [`https://example.com/${'a'.repeat(2_029)}`, long],
    [`https://example.com/${'\u00e9'.repeat(400)}`, longEncoded],
    [`https://example.com/${'"'.repeat(700)}`, longEncoded],
  ])('The target URL %j is refused', (text, rule) => {
    const { problem } = checkTargetUrl(text) as { problem: string }
    expect(problem.replace(listen, '')).toBe(`target_url: ${rule}`)
  })
})

describe('Accepted target URLs', () => {
  test.each([
    ['https://example.com', 'https://example.com/'],
    ['https://example.com/', 'https://example.com/'],
    ['https://EXAMPLE.com', 'https://example.com/'],
    ['https://example.com:443', 'https://example.com/'],
    ['https://example.com:8443/hook', 'https://example.com:8443/hook'],
    ['https://example.com:1', 'https://example.com:1/'],
    ['https://example.com:65535', 'https://example.com:65535/'],
    ['https://example.com/Hook', 'https://example.com/Hook'],
    ['https://example.com/hook/', 'https://example.com/hook/'],
    ['https://example.com//hook', 'https://example.com//hook'],
    ['https://example.com/a/../hook', 'https://example.com/hook'],
    ['https://example.com/%7Euser', 'https://example.com/%7Euser'],
    ['https://example.com/~user', 'https://example.com/~user'],
    ['https://example.com/@user:1', 'https://example.com/@user:1'],
    ['https://example.com/a%20b;c=d,e', 'https://example.com/a%20b;c=d,e'],
    ['https://example.com/[x]', 'https://example.com/[x]'],
    ['https://example.com/\u00e9', 'https://example.com/%C3%A9'],
    ['https://hooks.example.co.uk', 'https://hooks.example.co.uk/'],
    ['https://intranet/hook', 'https://intranet/hook'],
    ['https://receiver.test:4443/hook', 'https://receiver.test:4443/hook'],
    ['https://my_service.internal', 'https://my_service.internal/'],
    ['https://1.example.com', 'https://1.example.com/'],
    ['https://127.0.0.1.example.com', 'https://127.0.0.1.example.com/'],
    ['https://123abc', 'https://123abc/'],
    ['https://localhost.example.com', 'https://localhost.example.com/'],
    ['https://notlocalhost', 'https://notlocalhost/'],
    ['https://b\u00fccher.example/hook', 'https://xn--bcher-kva.example/hook'],
    ['https://B\u00dcCHER.example/hook', 'https://xn--bcher-kva.example/hook'],
    ['https://xn--bcher-kva.example/hook', 'https://xn--bcher-kva.example/hook'],
    ['https://\u4f8b\u3048\u3002\u30c6\u30b9\u30c8', 'https://xn--r8jz45g.xn--zckzah/'],
    ['https://\uff45xample.com', 'https://example.com/'],
    [`https://${'a'.repeat(63)}.com`, `https://${'a'.repeat(63)}.com/`],
    [`https://${'a.'.repeat(126)}a`, `https://${'a.'.repeat(126)}a/`],
    [`https://example.com/${'a'.repeat(2_028)}`, `https://example.com/${'a'.repeat(2_028)}`],
  ])('The target URL %j is accepted and normalized', (text, normalized) => {
    expect(checkTargetUrl(text)).toEqual({ normalized })
  })
})

describe('Allowed ports', () => {
  const allowed = new Set([443, 8443])

  test.each(['https://example.com', 'https://example.com:443/', 'https://example.com:8443/hook'])(
    'The target URL %s is accepted where the operator allows some ports alone',
    (text) => {
      expect(checkTargetUrl(text, allowed)).toHaveProperty('normalized')
    },
  )

  test.each(['https://example.com:444', 'https://example.com:22/', 'https://example.com:84430'])(
    'The target URL %s is refused where the operator allows some ports alone',
    (text) => {
      expect(checkTargetUrl(text, allowed)).toHaveProperty('problem')
    },
  )

  test('The refusal names the allowed ports', () => {
    const problem = 'target_url: must have a port that the operator allows: 443, 8443'
    expect(checkTargetUrl('https://example.com:1', allowed)).toEqual({ problem })
  })
})
