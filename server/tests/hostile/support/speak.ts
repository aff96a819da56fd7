import { connect } from 'node:net'

/** Everything that the service said, until it closed the connection. */
export type Spoken = { text: string; closedAfterMs: number }

/** For the answer to what was sent; then this side says that it will send nothing more. */
const quietMs = 300

/** Sends the pieces one after the other, and gives what came back until the service closed the connection. */
export function speak(port: number, pieces: Buffer[]): Promise<Spoken> {
  const { promise, resolve } = Promise.withResolvers<Spoken>()
  const socket = connect(port, '127.0.0.1')
  const beganAt = performance.now()
  let text = ''
  const end = () => socket.end()
  let quiet = setTimeout(end, quietMs)
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
    clearTimeout(quiet)
    quiet = setTimeout(end, quietMs)
  })
  // A reset is a close as well: the service may refuse what it has not read.
  socket.on('error', () => {})
  socket.on('close', () => {
    clearTimeout(quiet)
    resolve({ text, closedAfterMs: performance.now() - beganAt })
  })
  const sendNext = () => {
    const piece = pieces.shift()
    if (piece && !socket.destroyed) socket.write(piece, () => setImmediate(sendNext))
  }
  socket.setNoDelay(true).once('connect', sendNext)
  return promise
}

export type Answer = { status: number; headers: Map<string, string>; body: string }

/** The answers in what was said, each with its length; undefined where a part of it is none. */
export function answersIn(text: string): Answer[] | undefined {
  const answers: Answer[] = []
  let rest = text
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n')
    const [statusLine = '', ...lines] = rest.slice(0, Math.max(end, 0)).split('\r\n')
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(statusLine) ?? []
    if (status === undefined) return undefined
    const fields = lines.map((line) => /^([^:]+): (.*)$/.exec(line)?.slice(1) ?? [])
    const headers = new Map(fields.map(([name = '', value = '']) => [name.toLowerCase(), value]))
    const isInterim = status.startsWith('1')
    const hasBody = !isInterim && status !== '204' && status !== '304'
    const length = hasBody ? Number(headers.get('content-length')) : 0
    const body = rest.slice(end + 4, end + 4 + length)
    if (body.length !== length) return undefined
    if (!isInterim) answers.push({ status: Number(status), headers, body })
    rest = rest.slice(end + 4 + length)
  }
  return answers
}
