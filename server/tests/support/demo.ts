import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Life, type Program, processesOn, repository, run } from './program.ts'

/** `folder` is the system's temporary one for it. */
export function startDemo(life: Life, folder: string, file: string, ...args: string[]): Program {
  const { SIGNET_TEST_BROWSER = '' } = process.env
  const command = [process.execPath, join(repository, 'scripts', file), ...args]
  return run(life, command, { TMPDIR: folder, SIGNET_TEST_BROWSER })
}

/** Files, processes of PostgreSQL, and ports on which somebody still listens: of those in its output, so many at least. */
export async function remainsOf(folder: string, output: string, leastPorts = 2): Promise<unknown[]> {
  const ports = [...output.matchAll(/(?:localhost|127\.0\.0\.1|receiver\.test):(\d+)/g)].map(([, port]) => Number(port))
  expect(ports.length).toBeGreaterThanOrEqual(leastPorts)
  const open = await Promise.all(ports.map(async (port) => ((await isOpen(port)) ? [port] : [])))
  return [...readdirSync(folder), ...processesOn(folder), ...open.flat()]
}

const isOpen = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, 'localhost', () => socket.end(() => resolve(true)))
    socket.on('error', () => resolve(false))
  })
