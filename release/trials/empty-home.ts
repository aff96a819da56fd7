import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Release } from '../release.ts'
import { type Given, run, start } from '../run.ts'
import type { Tools } from './tools.ts'
import { asUser, giveToUser } from './user.ts'

/** A user with an empty home and an empty folder, who knows the registry, and has these tools and nothing else in the path. */
export type Home = {
  /** The folder that the user is in. */
  folder: string
  run(command: string[], settings?: Record<string, string>): Promise<string>
  start(command: string[], settings?: Record<string, string>): ReturnType<typeof start>
}

export function openHome(name: string, tools: Tools, { registry, place }: Pick<Release, 'registry' | 'place'>): Home {
  const home = place.folder(join('trials', name))
  const folder = place.folder(join('trials', name, 'folder'))
  writeFileSync(join(home, '.npmrc'), `${registry.settings}update-notifier=false\n`)
  giveToUser(home)
  const given = (settings: Record<string, string> = {}): Given => ({
    cwd: folder,
    env: { HOME: home, PATH: tools.path, NO_COLOR: '1', ...settings },
    log: place.log(name),
  })
  return {
    folder,
    run: (command, settings) => run(asUser(command), given(settings)),
    start: (command, settings) => start(asUser(command), given(settings)),
  }
}
