import type { Image } from '../image/build.ts'
import type { Release } from '../release.ts'
import { type Development, tryDev } from './dev.ts'
import { tryImage } from './image.ts'
import { tryPackages } from './packages.ts'
import { fetchTools, type Tools } from './tools.ts'
import { userOfTrials } from './user.ts'

/** What users have: each line of Node, and each npm that is in use. The first needs most to be fetched. */
const machines = [
  { node: 20, npm: 10 },
  { node: 22, npm: 11 },
  { node: 24, npm: 10 },
  { node: 24, npm: 11 },
  { node: 24, npm: 12 },
]

/** Each from an empty folder and an empty home. */
export async function makeTrials(release: Release, image: Image | undefined) {
  const { copy, place, journal } = release
  const tools = await journal.prove('Node and npm', 'fetched from the registry', async () => {
    const fetched: Tools[] = []
    for (const each of machines) fetched.push(await fetchTools(each, place))
    return fetched
  })
  const [first] = tools ?? []
  if (first) await (await tryService(first, 'first', release))?.stop()
  for (const each of tools ?? []) await tryOn(each, release)
  if (image) await journal.prove('image', 'run as its user, read-only', () => tryImage(image, copy, place))
}

async function tryOn(tools: Tools, release: Release) {
  const { journal } = release
  const signet = await tryService(tools, 'warm', release)
  if (!signet) return
  await journal.prove('packages', `${tools.title}, ${userOfTrials}`, () => tryPackages(tools, signet, release))
  await journal.prove('npx @signet/server dev', 'ended by Ctrl-C', signet.stop)
}

/** The registry is asked for the packages the `first` time, or is `warm`. */
async function tryService(tools: Tools, registry: 'first' | 'warm', { journal, ...release }: Release) {
  let signet: Development | undefined
  const what = registry === 'warm' ? 'warm registry' : 'registry that has fetched nothing'
  await journal.prove('npx @signet/server dev', `${tools.title}, ${userOfTrials}, ${what}`, async () => {
    const tried = await tryDev(tools, registry, release)
    signet = tried.development
    return tried.measured
  })
  return signet
}
