import { existsSync, readdirSync, rmSync } from 'node:fs'

/** Removes what an earlier rehearsal has left. A folder that somebody named may hold other files, and has to be empty. */
export function makeRoom(folder: string, isOurs: boolean) {
  if (isOurs) rmSync(folder, { recursive: true, force: true })
  else if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Error(`${folder} is not empty: name another folder, or remove what is in it`)
}
