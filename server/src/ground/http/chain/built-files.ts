import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative } from 'node:path'
import { type Asset, makeAsset } from './asset.ts'

/** Allows only our own files and requests. No inline script or style, and no page may frame this one. */
const policy = [
  "default-src 'none'",
  ...['script', 'style', 'img', 'connect', 'font'].map((kind) => `${kind}-src 'self'`),
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const shared = {
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
}

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
}

/** A browser asks each time whether it is still the same: the next build has other assets. */
export const makeBuiltAsset = (name: string, body: Buffer, more: Record<string, string> = {}): Promise<Asset> =>
  makeAsset(body, { ...shared, 'content-type': types[extname(name)] ?? 'application/octet-stream', ...more })

/** Its name has the hash of its content. */
export const makeHashedAsset = (name: string, body: Buffer): Promise<Asset> =>
  makeBuiltAsset(name, body, { 'cache-control': 'public, max-age=31536000, immutable' })

/** What is kept in memory, as it is and compressed. */
export type Bounds = { files: number; bytes: number }

/** By their paths within the folder. What begins with a dot is not served. */
export async function readBuilt(folder: string, most: Bounds): Promise<Map<string, Buffer>> {
  const found = await readdir(folder, { withFileTypes: true, recursive: true })
  const paths = found.filter((each) => each.isFile() && !each.name.startsWith('.')).map(pathOf)
  if (paths.length > most.files) throw new Error(`${folder}: must have at most ${most.files} files`)
  const files = new Map<string, Buffer>()
  let left = most.bytes
  for (const path of paths) {
    const body = await readFile(path)
    left -= body.length
    if (left < 0) throw new Error(`${folder}: must have at most ${most.bytes} bytes`)
    files.set(relative(folder, path), body)
  }
  return files
}

const pathOf = ({ parentPath, name }: { parentPath: string; name: string }) => join(parentPath, name)
