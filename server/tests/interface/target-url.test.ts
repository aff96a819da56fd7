import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refused } from '../support/refused.ts'
import { type Organization, type Signet, startOwnSignet } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'

const start = 'must start with https:// and a host'
const blank = 'must not contain white space or control characters'
const slash = 'must not contain a back slash'
const query = 'must not have a query'
const fragment = 'must not have a fragment'
const user = 'must not have a user or password'
const encoded = 'must not have a percent-encoded host'
const port = 'must have a port from 1 to 65535, or none'
const address = 'must not be an IP address'
const local = 'must not be localhost'
const dot = 'must not have a host that ends in a dot'
const host = 'must have a valid host name'
const unstorable = 'must not contain U+0000 or lone surrogates'

let signet: Signet
let organization: Organization
let webhookId: string

beforeAll(async () => {
  signet = await startOwnSignet()
  organization = await signet.organization()
  webhookId = await addWebhook(signet, organization, 'https://example.com/changed')
})

afterAll(() => signet?.stop())

const create = (target_url: string) =>
  signet.as(organization, 'POST', '/organizations/webhooks', { target_url, name: 'Hook' })
const change = (target_url: string) =>
  signet.as(organization, 'PATCH', `/organizations/webhooks/${webhookId}`, { target_url })

/** Somebody who writes one of these has a receiver on their own machine. */
const ownMachine = /^https:\/\/(?:(?:a\.b\.|hooks\.)?localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$)/i
const listen = '; signet listen --forward-to http://localhost:3000/hook brings webhooks to your own machine'

describe('A target_url that breaks the rule (2.4)', () => {
  // Proves 2.4/2, 8/4.
  test.each([
    ['', start],
    ['example.com', start],
    ['//example.com/hook', start],
    ['http://example.com/hook', start],
    ['HTTPS://example.com/hook', start],
    ['ftp://example.com/hook', start],
    ['https', start],
    ['https://', start],
    ['https:///x', start],
    ['https:////example.com', start],
    ['https:x', start],
    ['https:example.com/hook', start],
    ['https:/example.com/hook', start],
    ['https:\\\\example.com\\hook', start],
    ['https://\\example.com', start],
    ['https://?x', start],
    ['https://#x', start],
    [' https://example.com', blank],
    ['https://example.com ', blank],
    ['https://example.com/a b', blank],
    ['ht\ttps://example.com', blank],
    ['https://exam\tple.com', blank],
    ['https://127.0.\t0.1', blank],
    ['https://exam\nple.com/hook', blank],
    ['https://example.com/hook\r\n', blank],
    ['https://example.com/\u007f', blank],
    ['https://example.com/\u00a0', blank],
    ['https://example.com/\u2028', blank],
    ['https://example.com/\u0000', unstorable],
    ['https://example.com/\ud800', unstorable],
    ['https://example.com\\@127.0.0.1', slash],
    ['https://example.com/a\\b', slash],
    ['https://example.com/hook?a=b', query],
    ['https://example.com/hook?', query],
    ['https://example.com?', query],
    ['https://example.com/hook#a', fragment],
    ['https://example.com/hook#', fragment],
    ['https://example.com#', fragment],
    ['https://user@example.com', user],
    ['https://user:password@example.com/hook', user],
    ['https://@example.com', user],
    ['https://:@example.com', user],
    ['https://example.com@127.0.0.1', user],
    ['https://example.com:443@evil.example', user],
    ['https://127%2e0.0.1', encoded],
    ['https://%6cocalhost', encoded],
    ['https://exa%6dple.com', encoded],
    ['https://example.com:', port],
    ['https://example.com:0', port],
    ['https://example.com:0443', port],
    ['https://example.com:x', port],
    ['https://example.com:123456', port],
    ['https://127.0.0.1', address],
    ['https://8.8.8.8/hook', address],
    ['https://10.0.0.1:8443', address],
    ['https://127.0.0.1.', address],
    ['https://2130706433', address],
    ['https://0', address],
    ['https://017700000001', address],
    ['https://0177.0.0.1', address],
    ['https://0x7f000001', address],
    ['https://0x7f.0.0.1', address],
    ['https://0X7F.1', address],
    ['https://0x', address],
    ['https://127.1', address],
    ['https://127.0.1', address],
    ['https://\uff11\uff12\uff17.0.0.1', address],
    ['https://127\u30020\u30020\u30021', address],
    ['https://\u2460\u2461\u2466.\u24ea.\u24ea.\u2460', address],
    ['https://[::1]', address],
    ['https://[::]:443/hook', address],
    ['https://[2001:db8::1]', address],
    ['https://[fe80::1%25eth0]', encoded],
    ['https://[::ffff:127.0.0.1]', address],
    ['https://[::ffff:7f00:1]', address],
    ['https://[::127.0.0.1]', address],
    ['https://[64:ff9b::7f00:1]', address],
    ['https://256.0.0.1', host],
    ['https://1.2.3.4.5', host],
    ['https://4294967296', host],
    ['https://localhost', local],
    ['https://LocalHost:8443/hook', local],
    ['https://hooks.localhost', local],
    ['https://a.b.LOCALHOST', local],
    ['https://\uff4c\uff4f\uff43\uff41\uff4c\uff48\uff4f\uff53\uff54', local],
    ['https://local\u00adhost', local],
    ['https://hooks\u3002localhost', local],
    ['https://localhost.', dot],
    ['https://example.com.', dot],
    ['https://example.com.:443/hook', dot],
    ['https://example.com\u3002/hook', dot],
    ['https://.', dot],
    ['https://:443', host],
    ['https://example.com:65536', host],
    ['https://.example.com', host],
    ['https://example..com', host],
    ['https://*.example.com', host],
    ['https://<example>.com', host],
    ['https://exam,ple.com', host],
    [`https://${'a'.repeat(64)}.com`, host],
  ])('The target_url %j is refused', async (target_url, rule) => {
    const message = `target_url: ${rule}${ownMachine.test(target_url) ? listen : ''}`
    expect(await create(target_url)).toMatchObject(refused(400, message))
    expect(await change(target_url)).toMatchObject(refused(400, message))
  })

  test('A target_url of 2,049 characters is refused', async () => {
    const answer = await create(`https://example.com/${'a'.repeat(2_029)}`)
    expect(answer).toMatchObject(refused(400, 'target_url: must be at most 2048 characters'))
  })

  test('A target_url of more than 2,048 characters once it is percent-encoded is refused', async () => {
    const answer = await create(`https://example.com/${'\u00e9'.repeat(400)}`)
    expect(answer).toMatchObject(refused(400, 'target_url: must be at most 2048 characters when percent-encoded'))
  })
})

describe('A target_url that keeps the rule (2.4)', () => {
  // Proves 2.4/2, 8/4.
  test.each([
    'https://a.example',
    'https://B.Example',
    'https://c.example:443',
    'https://d.example:8443/hook',
    'https://e.example:1',
    'https://e.example:65535/',
    'https://f.example/Hook/',
    'https://g.example//hook',
    'https://h.example/a/../hook',
    'https://i.example/%7Euser/~user',
    'https://j.example/@user:1',
    'https://k.example/a%20b;c=d,e',
    'https://l.example/[x]',
    'https://m.example/\u00e9',
    'https://b\u00fccher.example/hook',
    'https://xn--r8jz45g.xn--zckzah/hook',
    'https://\u4f8b\u3048\u3002\u4f8b/hook',
    'https://intranet/hook',
    'https://my_service.internal/hook',
    'https://1.example',
    'https://127.0.0.1.example.com',
    'https://localhost.example.com',
    'https://notlocalhost',
    `https://${'a'.repeat(63)}.example`,
  ])('The target_url %j is accepted and reads back as given', async (target_url) => {
    const { status, body } = await create(target_url)
    expect({ status, target_url: body.result?.target_url }).toEqual({ status: 201, target_url })
    const read = await signet.as(organization, 'GET', `/organizations/webhooks/${body.result.id}`)
    expect(read.body.result.target_url).toBe(target_url)
  })

  test('A target_url of 2,048 characters is accepted', async () => {
    const target_url = `https://example.com/${'a'.repeat(2_028)}`
    expect((await create(target_url)).body.result.target_url).toBe(target_url)
  })

  test('A target_url that a webhook is given later reads back as given', async () => {
    const target_url = 'https://Changed.example:443/a/./hook'
    expect(await change(target_url)).toMatchObject({ status: 200, body: { result: { target_url } } })
  })
})
