export const eventStreamType = 'text/event-stream'
/** Signet sends a comment every 15 s: a stream that is silent for so long is dead, or held back by a proxy. */
export const silenceMs = 45_000
/** Of one message. An event of Signet has a fraction of it. */
const maxMessageLength = 1_048_576

/** Without `data` it only moves the place at which to resume. */
export type Message = { id: string; name: string; data?: string }

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
