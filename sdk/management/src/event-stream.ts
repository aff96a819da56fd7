import { understood } from './signet-error.ts'

export const eventStreamType = 'text/event-stream'
/** Signet sends a comment every 15 s: a stream that is silent for so long is dead, or held back by a proxy. */
export const silenceMs = 45_000
/** Of one message. An event of Signet has a fraction of it. */
const maxMessageLength = 1_048_576

/** Without `data` it only moves the place at which to resume. */
export type Message = { id: string; name: string; data?: string }

/**
 * The messages of a reply, as they come; a comment is one with nothing in it. Asks for the next bytes only when those before are read,
 * and ends the connection with its reader. A stream that falls silent is an error: a `TimeoutError` where not even a first byte came.
 */
export async function* readMessages(reply: Response): AsyncGenerator<Message, void> {
  const bytes = (reply.body as ReadableStream<Uint8Array>).getReader()
  const parse = createMessageParser()
  let silence: Error = new DOMException(silenceText, 'TimeoutError')
  try {
    for (;;) {
      const { done, value } = await orSilence(bytes.read(), silence)
      if (done) return
      yield* understood(reply, () => parse(value))
      silence = new Error(silenceText)
    }
  } finally {
    bytes.cancel().catch(() => {})
  }
}

const silenceText = `nothing came for ${silenceMs / 1_000} s`

async function orSilence<Result>(result: Promise<Result>, silence: Error): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silent = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(silence), silenceMs)
  })
  return Promise.race([result, silent]).finally(() => clearTimeout(timer))
}

/** Gives what each piece of a `text/event-stream` completes (HTML, 9.2.6); what is never completed counts for nothing. */
export function createMessageParser(): (piece: Uint8Array) => Message[] {
  const decoder = new TextDecoder()
  let line = ''
  let wasReturn = false
  const message = createMessage()
  return (piece) => {
    let text = decoder.decode(piece, { stream: true })
    if (text === '') return []
    // The second half of a line end whose first half ended the piece before.
    if (wasReturn && text.startsWith('\n')) text = text.slice(1)
    wasReturn = text.endsWith('\r') || (wasReturn && text === '')
    const [first = '', ...others] = text.split(/\r\n|\n|\r/)
    const lines = [line + first, ...others]
    line = lines.pop() ?? ''
    const completed = lines.flatMap(message.take)
    if (message.length() + line.length > maxMessageLength)
      throw new RangeError(`a message of the stream has more than ${maxMessageLength} characters`)
    return completed
  }
}

function createMessage() {
  let id = ''
  let name = ''
  let data: string[] = []
  let length = 0
  const complete = (): Message => {
    const completed = { id, name, ...(data.length > 0 && { data: data.join('\n') }) }
    name = ''
    data = []
    length = 0
    return completed
  }
  return {
    length: () => length,
    take: (line: string): Message[] => {
      if (line === '') return [complete()]
      const [, field, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
      length += line.length
      if (field === 'id' && !value.includes('\0')) id = value
      else if (field === 'event') name = value
      else if (field === 'data') data.push(value)
      return []
    },
  }
}
