import { connect } from 'node:net'

export type Spoken = {
  /** Everything that the service said, until it closed the connection. */
  text: string
  /** Whether this side said first that nothing more comes: the service may then leave an answer unfinished. */
  isOursToEnd: boolean
  /** From when this side said so. */
  closedAfterMs: number
}

/** Without a byte from the service: it may wait for the rest of a request, so this side says that nothing more comes. */
const quietMs = 300

/** Sends the pieces one after the other, and gives what came back until the service closed the connection. */
export function speak(port: number, pieces: Buffer[]): Promise<Spoken> {
  const { promise, resolve } = Promise.withResolvers<Spoken>()
  const socket = connect(port, '127.0.0.1')
  let endedAt: number | undefined
  let text = ''
  const end = () => {
    endedAt = performance.now()
    socket.end()
  }
  let quiet: NodeJS.Timeout | undefined
  const waitOn = () => {
    clearTimeout(quiet)
    if (endedAt === undefined) quiet = setTimeout(end, quietMs)
  }
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
    waitOn()
  })
  // A reset is a close as well: the service may refuse what it has not read.
  socket.on('error', () => {})
  socket.on('close', () => {
    clearTimeout(quiet)
    const isOursToEnd = endedAt !== undefined
    resolve({ text, isOursToEnd, closedAfterMs: performance.now() - (endedAt ?? performance.now()) })
  })
  const sendNext = () => {
    const piece = pieces.shift()
    if (piece && !socket.destroyed) socket.write(piece, () => setImmediate(sendNext))
    else waitOn()
  }
  socket.setNoDelay(true).once('connect', sendNext)
  return promise
}

export type Answer = { status: number; headers: Map<string, string>; body: string }

/** The answers in what was said, each with its length. `unfinished`: the beginning of one; undefined where a part of it is none. */
export function answersIn(text: string): { answers: Answer[]; unfinished: string } | undefined {
  const answers: Answer[] = []
  let rest = text
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n')
    const [statusLine = '', ...lines] = rest.slice(0, Math.max(end, 0)).split('\r\n')
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(statusLine) ?? []
    if (end < 0 && isBeginning(rest)) return { answers, unfinished: rest }
    if (status === undefined) return undefined
    const fields = lines.map((line) => /^([^:]+): (.*)$/.exec(line)?.slice(1) ?? [])
    const headers = new Map(fields.map(([name = '', value = '']) => [name.toLowerCase(), value]))
    const isInterim = status.startsWith('1')
    const hasBody = !isInterim && status !== '204' && status !== '304'
    const length = hasBody ? Number(headers.get('content-length')) : 0
    const body = rest.slice(end + 4, end + 4 + length)
    if (body.length !== length) return { answers, unfinished: rest }
    if (!isInterim) answers.push({ status: Number(status), headers, body })
    rest = rest.slice(end + 4 + length)
  }
  return { answers, unfinished: '' }
}

const isBeginning = (text: string) => 'HTTP/1.1 '.startsWith(text.slice(0, 9)) || text.startsWith('HTTP/1.1 ')
