import { type ChildProcess, spawn } from 'node:child_process'
import type { Adapter, Answer, Hello } from './protocol.ts'

/** For the first line, and for each answer. */
const limitMs = 60_000
/** Between the end of its input and its own. */
const graceMs = 10_000
/** Characters. */
const longestLine = 65_536

/** Runs the command of an adapter, and speaks with it by its standard input and output. Its standard error is ours. */
export async function startAdapter(command: string[]): Promise<Adapter & { stop(): void }> {
  const [program = '', ...args] = command
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = new Lines(child)
  const hello = await lines
    .next('hello', 'its first line')
    .then(helloIn)
    .catch((error: Error) => lines.finish(error))
  const ask = async (question: { id: number }) => {
    const answered = lines.next(question.id, `the answer to question ${question.id}`)
    child.stdin?.write(`${JSON.stringify(question)}\n`)
    return answerIn(await answered)
  }
  return { hello, ask, stop: () => endAdapter(child) }
}

/** One that does not end with its input is ended, so that it holds up nobody. */
function endAdapter(child: ChildProcess) {
  child.stdin?.end()
  child.stdout?.destroy()
  setTimeout(() => child.kill('SIGKILL'), graceMs).unref()
}

type Awaited = { resolve: (said: unknown) => void; reject: (reason: Error) => void }

class Lines {
  private readonly child: ChildProcess
  private readonly waiting = new Map<number | 'hello', Awaited>()
  private end: Error | undefined
  /** What has come of the next line. */
  private begun = ''

  constructor(child: ChildProcess) {
    this.child = child
    child.stdout?.setEncoding('utf8').on('data', (text: string) => this.split(text))
    child.stdin?.on('error', () => {})
    child.on('error', (error) => this.fail(new Error(`the adapter cannot be run: ${error.message}`)))
    child.on('exit', (code, signal) => this.fail(new Error(`the adapter has ended with ${code ?? signal}`)))
  }

  async next(id: number | 'hello', what: string): Promise<unknown> {
    const { end } = this
    if (end) throw end
    const late = new Error(`the adapter has not written ${what} within ${limitMs / 1_000} s`)
    let timer: NodeJS.Timeout | undefined
    const said = new Promise((resolve, reject) => {
      timer = setTimeout(() => reject(late), limitMs)
      this.waiting.set(id, { resolve, reject })
    })
    return said.finally(() => clearTimeout(timer))
  }

  private split(text: string) {
    const lines = (this.begun + text).split('\n')
    this.begun = lines.pop() ?? ''
    for (const line of lines) this.take(line)
    if (this.begun.length > longestLine)
      this.fail(new Error(`the adapter wrote a line of more than ${longestLine} characters`))
  }

  private take(line: string) {
    const said = parsed(line)
    const id = this.waiting.has('hello') ? 'hello' : (said as { id?: number } | undefined)?.id
    const awaited = id === undefined ? undefined : this.waiting.get(id)
    if (!awaited || id === undefined)
      return this.fail(new Error(`the adapter wrote a line that nobody asked for: ${line}`))
    this.waiting.delete(id)
    awaited.resolve(said)
  }

  /** Throws the reason. */
  finish(reason: Error): never {
    this.fail(reason)
    throw reason
  }

  private fail(reason: Error) {
    this.end ??= reason
    endAdapter(this.child)
    for (const { reject } of this.waiting.values()) reject(this.end)
    this.waiting.clear()
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function helloIn(said: unknown): Hello {
  const hello = said as Hello | undefined
  const isWhole =
    typeof hello?.library === 'string' &&
    typeof hello.version === 'string' &&
    (hello.clock === 'given' || hello.clock === 'own') &&
    typeof hello.codes === 'boolean'
  if (!isWhole) throw new Error('the first line of the adapter must have library, version, clock and codes')
  return hello
}

function answerIn(said: unknown): Answer {
  const { result } = said as { result?: unknown }
  if (result !== 'accepted' && result !== 'refused')
    throw new Error(`result: is ${JSON.stringify(result)}, must be accepted or refused`)
  return said as Answer
}
