import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageNames } from '../artifacts/packages.ts'
import type { Release } from '../release.ts'
import type { Development } from './dev.ts'
import { type Home, openHome } from './empty-home.ts'
import type { Tools } from './tools.ts'

/** All but the service. */
const libraries = packageNames.filter((name) => name !== '@signet/server')

/** In an empty project: the receiver of the README gets a webhook of that Signet, and each package does one thing. */
export async function tryPackages(tools: Tools, signet: Development, release: Pick<Release, 'registry' | 'place'>) {
  const name = `packages-${tools.name}`
  const home = openHome(name, tools, release)
  await home.run(['npm', 'init', '--yes', '--init-type=module'])
  await home.run(['npm', 'install', ...libraries])
  const settings = settingsFor(name, signet)
  const receiver = await startReceiver(home, settings, signet)
  const tried = await home.run(['node', copied('try-packages.js', home)], settings)
  await receiver.until(/^PersonCreated_v1 /m)
  await receiver.stop()
  const said = await home.run(['npx', 'signet-cli', 'events', '--no-follow', '--since=1h', '--json'], settings)
  for (const [output, expected] of [
    [tried, '@signet/browser: nobody'],
    [tried, '@signet/management: published'],
    [said, '"event_name":"PersonCreated_v1"'],
  ] as const)
    if (!output.includes(expected)) throw new Error(`expected ${expected} in: ${output}`)
  return 'the receiver of the README of @signet/webhooks verified an event; one call by each of the others'
}

const settingsFor = (name: string, { baseUrl, organizationId, apiKey, receiver }: Development) => ({
  SIGNET: baseUrl,
  SIGNET_URL: baseUrl,
  ORG: organizationId,
  SIGNET_API_KEY: apiKey,
  TARGET_URL: `${receiver.address}${name}`,
})

function copied(file: string, { folder }: Home): string {
  copyFileSync(join(import.meta.dirname, 'project', file), join(folder, file))
  return file
}

async function startReceiver(home: Home, settings: Record<string, string>, { receiver }: Development) {
  const readme = readFileSync(join(home.folder, 'node_modules/@signet/webhooks/README.md'), 'utf8')
  writeFileSync(join(home.folder, 'receiver.js'), receiverOf(readme))
  const { certificate: CERTIFICATE, privateKey: PRIVATE_KEY, port } = receiver
  const program = home.start(['node', 'receiver.js'], { ...settings, CERTIFICATE, PRIVATE_KEY, PORT: `${port}` })
  await program.until(/^Listening/m)
  return program
}

/** Its samples as they are printed, and around them what they say nothing of. */
export function receiverOf(readme: string): string {
  const settings = /^const receiver = \{\n.*?^\}\n/ms.exec(readme)?.[0]
  const server = /^createServer\(.*\)$/m.exec(readme)?.[0]
  if (!settings || !server) throw new Error('the README of @signet/webhooks has no receiver')
  return `import { createServer } from 'node:https'
import { nodeHandler } from '@signet/webhooks'

const { CERTIFICATE: cert, PRIVATE_KEY: key, PORT } = process.env
const store = async ({ trigger_name, sub }) => console.log(trigger_name, sub)
const isStored = () => false
${settings}
${server}.listen(PORT, () => console.log('Listening'))
`
}
