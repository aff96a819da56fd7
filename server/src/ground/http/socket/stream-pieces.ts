/** What is written of the messages of event streams (HTML, 9.2.5). */

/** Characters that are written at once; a reader that is slow holds up no more than this and one message. */
const charactersPerWrite = 16_384

/** Neither `id` nor `data` has a line break. Without `data` it only says where to resume. */
export type Message = {
  id: string
  event?: string
  data?: string
  /** What is left. A client that has not taken it by then is disconnected; it resumes, and gets the message anew. */
  sentWithinMs?: () => number
}

/** `end`: the index of the first message behind it. */
export type Piece = Pick<Message, 'sentWithinMs'> & { bytes: Buffer; lastId: string; end: number }

const encoded = new WeakMap<readonly Message[], Piece[]>()

/** Each piece is made when it is asked for first, and is the same for all streams that are given this very array. */
export function* piecesOf(messages: readonly Message[]): Generator<Piece> {
  const pieces = encoded.get(messages) ?? []
  encoded.set(messages, pieces)
  for (let number = 0, at = 0; at < messages.length; number++) {
    pieces[number] ??= encode(messages, at)
    const piece = pieces[number] as Piece
    yield piece
    at = piece.end
  }
}

function encode(messages: readonly Message[], from: number): Piece {
  let text = ''
  let end = from
  while (end < messages.length && text.length < charactersPerWrite) text += toText(messages[end++] as Message)
  const { id: lastId, sentWithinMs } = messages[end - 1] as Message
  return { bytes: Buffer.from(text), lastId, end, ...(sentWithinMs && { sentWithinMs }) }
}

export function toText({ id, event, data }: Partial<Message>): string {
  const lines = Object.entries({ id, event, data }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}\n`],
  )
  return `${lines.join('')}\n`
}
