import { type ClientRequest, request as call, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

export type Received = { id: string; event: string; data: string }

/** A client of one event stream, which reads it as HTML, 9.2.6, says. */
export type StreamClient = {
  status: number
  headers: IncomingMessage['headers']
  /** Everything, as it came. */
  text(): string
  /** What had `data`. */
  messages(): Received[]
  lastId(): string
  isOver(): boolean
  /** Waits until there are so many messages, and gives them. */
  waitFor(count: number, timeout?: number): Promise<Received[]>
  pause(): void
  resume(): void
  cut(): void
}

type Options = { headers?: OutgoingHttpHeaders; method?: string; onMessage?: (message: Received) => void }

export async function openStream(
  url: string,
  { headers = {}, method = 'GET', onMessage = () => {} }: Options = {},
): Promise<StreamClient> {
  const request = call(url, { method, agent: false, headers: { accept: 'text/event-stream', ...headers } })
  const response = await answerTo(request)
  const messages: Received[] = []
  let text = ''
  let rest = ''
  let lastId = ''
  let isOver = false
  const take = (block: string) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
    lastId = field('id') ?? lastId
    const data = field('data')
    if (data === undefined) return
    const message = { id: lastId, event: field('event') ?? '', data }
    messages.push(message)
    onMessage(message)
  }
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    const blocks = (rest + chunk).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) take(block)
  })
  response.on('error', () => {}).on('close', () => (isOver = true))
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: () => text,
    messages: () => messages,
    lastId: () => lastId,
    isOver: () => isOver,
    waitFor: async (count, timeout = 20_000) => {
      const deadline = performance.now() + timeout
      while (messages.length < count && performance.now() < deadline) await wait(5)
      if (messages.length < count)
        throw new Error(`${messages.length} instead of ${count} messages:\n${text.slice(-2_000)}`)
      return messages
    },
    pause: () => response.pause(),
    resume: () => response.resume(),
    cut: () => response.destroy(),
  }
}

function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('error', reject).on('response', resolve)
    request.end()
  })
}

/** Whether an operation of the document has an answer that does not end: its tests are with the other streams. */
export function isStream({ responses }: { responses: object }) {
  const answer = (responses as Record<string, { content?: object }>)['200']
  const content = Object.keys(answer?.content ?? {})
  return content.length === 1 && content[0] === 'text/event-stream'
}
