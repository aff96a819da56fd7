import { setTimeout as wait } from 'node:timers/promises'
import { type Message, SignetError } from '@signet/management'
import type { Connection } from '../connection.ts'
import type { Context } from '../context.ts'
import { addressHint, CommandError, exitCodes, namingOptions, reasonOf } from '../failure.ts'
import { printable } from '../output.ts'
import { type Answer, post } from './receiver.ts'
import { openCursor } from './saved-cursor.ts'
import { openStream } from './stream.ts'

export type ListenOptions = {
  forwardTo: string
  events?: string[]
  targetUrl?: string
  from?: 'now'
  once?: boolean
  printKeySet?: boolean
  verbose?: boolean
}
type Listening = Context & {
  signal: AbortSignal
  connection: Connection
  options: ListenOptions
  cursor: ReturnType<typeof openCursor>
}

const firstPauseMs = 100
const maxPauseMs = 5_000

/** Posts every event to the receiver, in their order and one at a time, over connections and runs without a gap. */
export async function listen(context: Context, options: ListenOptions) {
  const connection = context.connect()
  const { url, organizationId, signet } = connection
  requireAddress(options.forwardTo)
  const { forwardTo, targetUrl: target = forwardTo, events = [] } = options
  const cursor = openCursor(
    { url, organizationId, target, forwardTo, events: [...new Set(events)].toSorted() },
    { environment: context.environment, onLost: (reason) => void noteLost(context, reason) },
  )
  if (options.printKeySet) await printKeySet(context, await signet.getVerificationKeys())
  if (options.from === 'now') cursor.forget()
  try {
    await stayConnected({ ...context, signal: context.takeSignal(), connection, options, cursor })
  } finally {
    cursor.close()
  }
}

const noteLost = ({ output }: Context, reason: string) =>
  output.note(`The place cannot be kept (${printable(reason)}): the next run may bring the last events again.`)

function requireAddress(url: string) {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new CommandError(
      '--forward-to: must be an http or https address, such as http://localhost:3000/hook',
      exitCodes.usage,
    )
}

const printKeySet = ({ output }: Context, { keys }: { keys: unknown[] }) =>
  output.show({ type: 'key_set', keys }, JSON.stringify({ keys }, null, 2))

async function stayConnected(listening: Listening) {
  const { signal, output } = listening
  const { url } = listening.connection
  let isProven = false
  const onConnected = () => {
    isProven = true
    pause = firstPauseMs
  }
  let pause = firstPauseMs
  for (; !signal.aborted; pause = Math.min(2 * pause, maxPauseMs)) {
    let reason = 'the service ended the connection'
    try {
      if (await useConnection(listening, onConnected)) return
    } catch (error) {
      if (signal.aborted) return
      if (!isProven && isWrongAddress(error))
        throw new CommandError(`${url}: ${reasonOf(error)}. ${addressHint}`, exitCodes.unavailable)
      reason = reasonUnlessFinal(error)
    }
    if (!isProven) reason = `${url}: ${reason}. ${addressHint}`
    await output.show({ type: 'disconnected', reason }, `Disconnected: ${printable(reason)}. Connecting again…`)
    await wait(pause, undefined, { signal }).catch(() => {})
  }
}

/** Gives whether the command is done. */
async function useConnection(listening: Listening, onConnected: () => void): Promise<boolean> {
  const { connection, options, cursor, signal } = listening
  const { events, forwardTo, targetUrl = forwardTo } = options
  const stream = openStream({ ...connection, targetUrl, events, lastEventId: cursor.get(), signal })
  for await (const message of stream) {
    if (message === undefined) {
      onConnected()
      await sayConnected(listening)
    } else if (message.name === 'error') throw new SignetError(JSON.parse(message.data ?? '{}'))
    else {
      if (message.data !== undefined) await deliver(listening, message, message.data)
      if (message.id) cursor.move(message.id)
      if (message.data !== undefined && options.once) return true
    }
  }
  return false
}

function sayConnected({ output, connection: { url, organizationId }, options: { forwardTo }, cursor }: Listening) {
  const place = cursor.get() ? 'from where the last connection ended' : 'from now on'
  return output.show(
    { type: 'connected', url, organization_id: organizationId, forward_to: forwardTo, resumed: cursor.get() !== '' },
    `Connected to ${url}, ${place}. Forwarding to ${forwardTo}`,
  )
}

async function deliver({ output, options, signal }: Listening, { name }: Message, jwt: string) {
  const { forwardTo, verbose = false } = options
  const onSilent = (reason: string) => output.note(`No answer from ${forwardTo}: ${printable(reason)}. Trying again…`)
  const { body, ...answer } = await post(forwardTo, jwt, { signal, isBodyShown: verbose, onSilent })
  const record = { type: 'delivery', event_id: eventIdOf(jwt), event_name: name, ...answer }
  await output.show(verbose ? { ...record, body } : record, describe(output.colors, name, answer))
  if (verbose && body && !output.isJson)
    await output.line(
      body
        .split('\n')
        .map((line) => `  ${printable(line)}`)
        .join('\n'),
    )
}

function describe(
  { green, red }: Context['output']['colors'],
  name: string,
  { status, duration_ms }: Omit<Answer, 'body'>,
) {
  const color = status < 300 ? green : red
  return `${printable(name)} ${color(String(status))} ${duration_ms} ms`
}

/** The receiver verifies; here it is only shown. */
function eventIdOf(jwt: string): string {
  const claims = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
  return claims.trigger_content?.event_metadata?.event_id ?? claims.sub
}

/** What no waiting mends: a name or a port that there is not, or a certificate that is not trusted. */
function isWrongAddress(error: unknown): boolean {
  const { code = '', message } = ((error as Error | undefined)?.cause ?? {}) as { code?: string; message?: string }
  return (
    message === 'bad port' || /^(ENOTFOUND|EAI_\w+|ERR_TLS_\w+|CERT_\w+|\w*SELF_SIGNED\w*|UNABLE_TO_\w+)$/.test(code)
  )
}

const options = {
  event_name: '--events',
  target_url: '--forward-to (or --target-url, which may be another address than that of --forward-to)',
}

/** What the service refuses it would refuse again. */
function reasonUnlessFinal(error: unknown): string {
  if (!(error instanceof SignetError)) return reasonOf(error)
  const { status, message, isTemporary } = error
  if (status === 410)
    throw new CommandError(`${message}. Where the last run ended is no longer kept: --from now begins anew`)
  if (status === 401 || status === 403) throw new CommandError(message, exitCodes.refused)
  if (!isTemporary) throw namingOptions(error, options)
  return message
}
