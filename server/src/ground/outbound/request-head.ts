import { version } from '../runtime/version.ts'

/** Defaults of every request. `identity`, because responses are never decompressed. */
const standardHeaders = Object.entries({ 'user-agent': `Signet/${version}`, 'accept-encoding': 'identity' })

/** Characters sent as one byte each. Others, such as line ends, could inject a header. */
const headerText = /^[\t\x20-\x7e\x80-\xff]*$/

/** The names of all headers of a POST, where `names` are given. */
export function sentHeaderNames(names: string[]): string[] {
  const given = new Set(names.map((name) => name.toLowerCase()))
  const added = standardHeaders.map(([name]) => name).filter((name) => !given.has(name))
  return [...names, ...added, 'host', 'connection', 'content-length']
}

/** `headers` is `[name, value, name, value]`. */
export const canBeSent = (headers: string[]): boolean => headers.every((text) => headerText.test(text))

/** An HTTP/1.1 request up to its body. */
export function toHead(method: 'GET' | 'POST', { pathname, search, host }: URL, headers: string[], body: string) {
  const lines = [`${method} ${pathname}${search} HTTP/1.1`, `host: ${host}`, 'connection: keep-alive']
  const names = new Set<string>()
  for (let at = 0; at < headers.length; at += 2) {
    names.add(`${headers[at]}`.toLowerCase())
    lines.push(`${headers[at]}: ${headers[at + 1]}`)
  }
  for (const [name, value] of standardHeaders) if (!names.has(name)) lines.push(`${name}: ${value}`)
  if (method === 'POST') lines.push(`content-length: ${Buffer.byteLength(body)}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}
