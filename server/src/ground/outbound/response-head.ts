/** The head of a response: status line, header lines and how the body is framed (RFC 9112, sections 4 to 6). */

/** `name` is in lower case. `isFolded`: the value continued on a further line. */
type Field = { name: string; value: string; isFolded: boolean }

export type Head = { status: number; minorVersion: number; fields: Field[] }

/** HTTP/1 of any minor version, with or without a reason phrase. The reader has already removed the line feed. */
const statusLine = /^HTTP\/1\.(\d) ([1-9]\d\d)(?: [^\0\r]*)?\r$/
/** RFC 9110, 5.6.2. */
const token = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/

/** Undefined when `line` is not a status line. */
export function parseStatusLine(line: string): Head | undefined {
  const [, minorVersion, status] = statusLine.exec(line) ?? []
  return status === undefined ? undefined : { status: Number(status), minorVersion: Number(minorVersion), fields: [] }
}

/** `line` comes without its line end. Returns false when it is neither a header line nor the continuation of one. */
export function addHeaderLine(fields: Field[], line: string): boolean {
  if (/[\0\r]/.test(line)) return false
  return /^[\t ]/.test(line) ? unfold(fields.at(-1), trimBlanks(line)) : addField(fields, line)
}

/** A line end within a value becomes one blank. */
function unfold(field: Field | undefined, text: string): boolean {
  if (!field) return false
  field.value = field.value && text ? `${field.value} ${text}` : field.value || text
  field.isFolded = true
  return true
}

function addField(fields: Field[], line: string): boolean {
  const colon = line.indexOf(':')
  const name = line.slice(0, Math.max(colon, 0))
  if (!token.test(name)) return false
  fields.push({ name: name.toLowerCase(), value: trimBlanks(line.slice(colon + 1)), isFolded: false })
  return true
}

const isBlank = (code: number) => code === 0x20 || code === 0x09

/** A loop, because a regular expression would take quadratic time over tens of thousands of blanks. */
function trimBlanks(text: string): string {
  let from = 0
  let to = text.length
  while (from < to && isBlank(text.charCodeAt(from))) from++
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--
  return text.slice(from, to)
}

/** How the body ends: after a number of bytes, with its last chunk, or with the connection. */
export type Framing = number | 'chunked' | 'until_close'

/** Undefined when the framing is ambiguous: two parsers that disagreed on it would allow response smuggling. */
export function framingOf({ status, minorVersion, fields }: Head): Framing | undefined {
  const [field, ...others] = fields.filter(({ name }) => name === 'content-length' || name === 'transfer-encoding')
  if (others.length > 0 || field?.isFolded) return undefined
  const framing = field ? parseFraming(field, minorVersion) : 'until_close'
  const hasBody = status !== 204 && status !== 304
  return hasBody || framing === undefined ? framing : 0
}

function parseFraming({ name, value }: Field, minorVersion: number): Framing | undefined {
  if (name === 'content-length') return /^\d{1,15}$/.test(value) ? Number(value) : undefined
  // HTTP/1.0 has no transfer coding, and no other one was offered in the request.
  return minorVersion > 0 && value.toLowerCase() === 'chunked' ? 'chunked' : undefined
}

/** How long the response allows the connection to be idle: 0 when the receiver closes it, or may still send a body. */
export function keepAliveMs({ status, minorVersion, fields }: Head): number {
  if ((status === 204 || status === 304) && fields.some(announcesBody)) return 0
  const options: string[] = []
  let ms = Number.POSITIVE_INFINITY
  for (const { name, value } of fields) {
    if (name === 'connection') options.push(...value.toLowerCase().split(',').map(trimBlanks))
    if (name === 'keep-alive') ms = Number(/timeout=(\d{1,6})/i.exec(value)?.[1] ?? ms) * 1_000
  }
  const isKept = minorVersion > 0 ? !options.includes('close') : options.includes('keep-alive')
  return isKept ? ms : 0
}

const announcesBody = ({ name, value }: Field) =>
  name === 'transfer-encoding' || (name === 'content-length' && Number(value) > 0)

/** By name; the values of a repeated header in the order received. */
export function toHeaders(fields: Field[]): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = Object.create(null)
  for (const { name, value } of fields) {
    const before = headers[name]
    if (before === undefined) headers[name] = value
    else if (typeof before === 'string') headers[name] = [before, value]
    else before.push(value)
  }
  return headers
}
