import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { controlFile, logFolder } from './cluster-files.ts'
import { contentOf, copyFile, copyStill, syncFile, syncFolder, writePrivately } from './files.ts'
import { clusterFolder, type ListedFile } from './manifest.ts'

/** The copy as it grows; paths are within the backup. */
export type Copy = {
  folders: string[]
  files: ListedFile[]
  makeFolders(paths: string[]): void
  /** A file that has vanished meanwhile is not missed: the log says so, too. */
  copyFile(source: string, path: string): Promise<void>
  writeFile(path: string, text: string): void
  /** The segments that are not in it yet. */
  copyLog(data: string, segments: string[]): Promise<void>
  /** Puts on disk what was added since the last call. */
  sync(): void
}

export function createCopy(folder: string, onBytes: (bytes: number) => void): Copy {
  const files: ListedFile[] = []
  const folders: string[] = []
  let synced = 0

  const add = async (source: string, path: string) => {
    const read = source.endsWith(`/${controlFile}`) ? copyStill : copyFile
    const content = await read(source, join(folder, path), onBytes).catch((error) => {
      if (error.code !== 'ENOENT' || error.path !== source) throw error
    })
    if (content) files.push({ path, ...content })
  }

  return {
    files,
    folders,
    makeFolders: (paths) => {
      for (const path of paths) mkdirSync(join(folder, path), { mode: 0o700 })
      folders.push(...paths)
    },
    copyFile: add,
    writeFile: (path, text) => {
      writePrivately(join(folder, path), text)
      files.push({ path, ...contentOf(text) })
    },
    copyLog: async (data, segments) => {
      const known = new Set(files.map(({ path }) => basename(path)))
      for (const name of segments.filter((segment) => !known.has(segment)))
        await add(join(data, logFolder, name), join(clusterFolder, logFolder, name))
    },
    sync: () => {
      for (const { path } of files.slice(synced)) syncFile(join(folder, path))
      const last = synced === 0 ? folders : [join(clusterFolder, logFolder), clusterFolder]
      for (const path of last) syncFolder(join(folder, path))
      synced = files.length
    },
  }
}
