import { randomBytes } from 'node:crypto'
import { freePort } from '../../scripts/free-port.ts'
import type { Copy } from '../copy.ts'
import type { Image } from '../image/build.ts'
import { runIn } from '../image/run-in.ts'
import { run, start } from '../run.ts'
import type { Workplace } from '../workplace.ts'
import { startPostgres } from './postgresql.ts'

const pages = ['/readyz', '/console', '/help', '/docs', '/openapi.json']

/** Runs the image as its user, read-only, with nothing else of ours. */
export async function tryImage(image: Image, copy: Copy, place: Workplace): Promise<string> {
  const port = await freePort()
  const settings = {
    PORT: `${port}`,
    HOST: '127.0.0.1',
    DATABASE_URL: await startPostgres(copy, place),
    SIGNET_BASE_URL: `http://localhost:${port}`,
    SIGNET_MASTER_KEY: randomBytes(32).toString('base64'),
  }
  const inside = (command: string[]) => {
    const { command: whole, env } = runIn(image, command, settings)
    return [whole, { env, log: place.log('image-trial') }] as const
  }
  const init = await run(...inside(['signet', 'init', '--name', 'Example', '--json']))
  const { organization_id: id, api_key: key } = JSON.parse(init)
  const service = start(...inside(image.config.Cmd))
  await service.until(/^Ready/m)
  for (const path of pages) await require200(`${settings.SIGNET_BASE_URL}${path}`)
  await require200(`${settings.SIGNET_BASE_URL}/groups`, { 'Service-OrgID': id, 'Service-API-Key': key })
  const status = await service.stop()
  if (status !== 0) throw new Error(`the service ended with ${status}`)
  return `signet init, then 200 from ${pages.join(', ')} and, with its key, /groups; ended with 0`
}

async function require200(address: string, headers: Record<string, string> = {}) {
  const { status } = await fetch(address, { headers })
  if (status !== 200) throw new Error(`${address} answered ${status}`)
}
