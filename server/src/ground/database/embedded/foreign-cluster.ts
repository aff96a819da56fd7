import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { findBinaries } from './binaries.ts'
import { dataFolder } from './cluster.ts'
import { chooseRunAs, type Owner } from './run-as.ts'

/** Where the files of a cluster belong that was made elsewhere, and whose they must be. */
type ClusterPlace = {
  data: string
  owner: Owner
  /** Of the programs that will run it. */
  postgresMajor: number
}

/** Makes the folder, and puts nothing in it. Throws where it has a cluster already. */
export async function placeForCluster(path: string): Promise<ClusterPlace> {
  mkdirSync(path, { recursive: true, mode: 0o711 })
  const folder = realpathSync(path)
  const data = dataFolder(folder)
  if (existsSync(data)) throw new Error(`${data}: is there already`)
  const binaries = await findBinaries(folder)
  const { owner } = chooseRunAs(binaries, folder, data)
  return { data, owner, postgresMajor: majorOf(binaries) }
}

function majorOf({ postgres, environment }: { postgres: string; environment: Record<string, string> }): number {
  // `postgres (PostgreSQL) 18.4`
  const printed = execFileSync(postgres, ['--version'], { env: environment, encoding: 'utf8' })
  return Number(/\) (\d+)/.exec(printed)?.[1])
}
