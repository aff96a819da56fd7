import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Certified } from '../../../../../scripts/certificates.ts'
import { freePort } from '../../../../../scripts/free-port.ts'
import { writeConfiguration, writeShared } from './configuration.ts'
import { makeFolder, openFolder } from './folder.ts'
import { commandFor, type Running, runProgram } from './run-program.ts'

/** The hosts of the documented configurations: one of Signet's own, one with Signet below `/identity`. */
export const hosts = ['id.example.com', 'www.example.com']

/** A web server that speaks https for two Signet processes. */
export type Front = { port: number; output(): string }

type Plan = { certified: Certified; signetPorts: [number, number] }
type Ground = Plan & { folder: string; port: number }

/** Each by the configuration that the documentation shows, within the least that it needs around it. */
const starters = { nginx: startNginx, Caddy: startCaddy, HAProxy: startHaproxy }

export type FrontName = keyof typeof starters
export const frontNames = Object.keys(starters) as FrontName[]

export async function startFront(life: AsyncDisposableStack, name: FrontName, plan: Plan): Promise<Front> {
  const folder = openFolder(life)
  const port = await freePort()
  const { certificate, privateKey } = plan.certified
  writeShared(join(folder, 'certificate.pem'), certificate)
  writeShared(join(folder, 'private-key.pem'), privateKey)
  writeShared(join(folder, 'both.pem'), certificate + privateKey)
  const running = await starters[name]({ ...plan, folder, port })
  life.defer(() => running.stop())
  return { port, output: running.output }
}

const addresses = ({ folder, signetPorts: [one, two] }: Ground) => ({
  '/etc/signet/tls': folder,
  '127.0.0.1:8080': `127.0.0.1:${one}`,
  '127.0.0.1:8081': `127.0.0.1:${two}`,
})

function startNginx(ground: Ground): Promise<Running> {
  const { folder, port } = ground
  const site = writeConfiguration(folder, 'nginx.conf', { ...addresses(ground), 'listen 443 ': `listen ${port} ` })
  const around = join(folder, 'around.conf')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => {
    return `${kind}_temp_path ${makeFolder(join(folder, kind))};`
  })
  writeShared(
    around,
    `daemon off; pid ${folder}/nginx.pid; error_log stderr warn; worker_processes 2; events {}
     http { access_log off; ${temporary.join(' ')} include ${site}; }`,
  )
  return runProgram(commandFor('nginx', '-p', folder, '-e', 'stderr', '-c', around), port)
}

async function startCaddy(ground: Ground): Promise<Running> {
  const { folder, port } = ground
  const site = writeConfiguration(folder, 'Caddyfile', addresses(ground))
  const around = join(folder, 'around')
  writeShared(around, `{\n\tadmin off\n\thttp_port ${await freePort()}\n\thttps_port ${port}\n}\nimport ${site}\n`)
  const home = makeFolder(join(folder, 'home'))
  const command = commandFor('caddy', 'run', '--config', around, '--adapter', 'caddyfile')
  return runProgram(command, port, { HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home })
}

function startHaproxy(ground: Ground): Promise<Running> {
  const { folder, port } = ground
  const site = writeConfiguration(folder, 'haproxy.cfg', { ...addresses(ground), 'bind :443': `bind :${port}` })
  return runHaproxy(folder, site, port)
}

/** After what Debian's file has before it, save what needs root or a log. */
export function runHaproxy(folder: string, site: string, port: number): Promise<Running> {
  const around = join(folder, 'around.cfg')
  writeFileSync(
    around,
    `global
  maxconn 1000
  stats socket ${folder}/admin.sock level admin
  ssl-default-bind-options ssl-min-ver TLSv1.2 no-tls-tickets
defaults
  timeout connect 5000
  timeout client 50000
  timeout server 50000
`,
  )
  return runProgram(commandFor('haproxy', '-db', '-f', around, '-f', site), port)
}
