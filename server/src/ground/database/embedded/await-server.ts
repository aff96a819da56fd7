import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { clusterName } from './cluster.ts'
import { type Address, socketPath } from './socket-folder.ts'

const askEveryMs = 10
const answerWithinMs = 1_000
/** A server reports while it starts up or recovers, however long that takes; silence for this long is a failure. */
const silenceMs = 30_000
/** First byte of the answer "authenticated"; a refusal, such as "starting up", begins otherwise. */
const welcome = 'R'.charCodeAt(0)
const goodbye = Buffer.from([0x58, 0, 0, 0, 4])

/** Waits until the server at that address takes connections. Throws after a long silence. */
export async function answering(address: Address, signal: AbortSignal): Promise<void> {
  for (let heard = performance.now(); !signal.aborted; await sleep(askEveryMs)) {
    const answer = await ask(address)
    if (answer === welcome) return
    if (answer !== undefined) heard = performance.now()
    if (performance.now() - heard > silenceMs) throw new Error(`no answer for ${silenceMs / 1_000} s`)
  }
}

/** Sends a startup packet; the first byte of the answer, undefined when nobody answers. */
const ask = (address: Address): Promise<number | undefined> =>
  new Promise((resolve) => {
    const socket = connect(socketPath(address), () => socket.write(startupPacket()))
    socket.setTimeout(answerWithinMs, () => socket.destroy())
    socket.once('data', (bytes) => {
      resolve(bytes[0])
      socket.end(goodbye)
    })
    socket.on('error', () => {})
    socket.once('close', () => resolve(undefined))
  })

function startupPacket(): Buffer {
  const text = Buffer.from(`user\0${clusterName}\0database\0${clusterName}\0\0`)
  const head = Buffer.alloc(8)
  head.writeInt32BE(head.length + text.length, 0)
  head.writeInt32BE(0x00_03_00_00, 4)
  return Buffer.concat([head, text])
}
