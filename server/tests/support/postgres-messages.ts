/** The messages of PostgreSQL's protocol, version 3, as they pass by on one connection without TLS. */

/** Calls `onMessage` for each that is whole. The first message of a client has no type, and is passed over. */
export function messagesOf(isClient: boolean, onMessage: (type: string, body: Buffer) => void) {
  let rest: Buffer = Buffer.alloc(0)
  let hasType = !isClient
  return (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes])
    for (;;) {
      const head = hasType ? 1 : 0
      if (rest.length < head + 4) return
      const end = head + rest.readInt32BE(head)
      if (rest.length < end) return
      if (hasType) onMessage(String.fromCharCode(rest[0] as number), rest.subarray(head + 4, end))
      hasType = true
      rest = rest.subarray(end)
    }
  }
}

/** Gives the text of the statement that a client's message runs, also where it was prepared before; undefined where it runs none. */
export function createStatementTexts() {
  const prepared = new Map<string, string>()
  return (type: string, body: Buffer): string | undefined => {
    const [first = '', second = ''] = body.toString('utf8').split('\0', 2)
    // Parse has the name of the statement and its text, Bind the name of the portal and that of the statement.
    if (type === 'P') prepared.set(first, second)
    if (type === 'B') return prepared.get(second) ?? ''
    return type === 'Q' ? first : undefined
  }
}
