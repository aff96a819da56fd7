import { version } from '../runtime/version.ts'

/** What is sent with every request that does not say otherwise. Nothing that is read could be unpacked here. */
const standardHeaders = Object.entries({ 'user-agent': `Signet/${version}`, 'accept-encoding': 'identity' })

/** Each as one byte. Anything else could end the line, and begin another one. */
const headerText = /^[\t\x20-\x7e\x80-\xff]*$/

/** `[name, value, name, value]`, each pair a line. */
export const canBeSent = (headers: string[]): boolean => headers.every((text) => headerText.test(text))

/** Of a request of HTTP/1.1: everything before its body. */
export function toHead(
  method: 'GET' | 'POST',
  { pathname, search, host }: URL,
  headers: string[],
  body: string,
): string {
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
