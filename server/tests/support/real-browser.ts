import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const { SIGNET_TEST_BROWSER: installed } = process.env
const modules = join(import.meta.dirname, '../../../node_modules')
const cache = join(modules, '.cache')

/**
 * A headless Chromium, to be launched once for a test file; `newContext()` is a person's own profile. The named hosts lead
 * to ports of this machine, every other one nowhere; certificates are not judged. It ends with `close()`, and at the latest
 * with this process, however that ends: it reads from a pipe of ours. One that ends so may leave files in `temporary`.
 */
export const startRealBrowser = (hosts: Record<string, number> = {}, temporary = tmpdir()): Promise<Browser> => {
  const rules = Object.entries(hosts).map(([host, port]) => `MAP ${host} 127.0.0.1:${port}`)
  const alone = ['MAP * ~NOTFOUND', 'EXCLUDE localhost', 'EXCLUDE 127.0.0.1']
  return chromium.launch({
    ...(installed ? { executablePath: installed } : unpackBrowser(temporary)),
    // What a signal means is for the program to say.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    args: [
      `--host-resolver-rules=${[...rules, ...alone].join(', ')}`,
      ...['--ignore-certificate-errors', '--disable-gpu', '--font-render-hinting=none'],
    ],
  })
}

/** From the package registry, with the fonts and libraries that a machine without a desktop may lack. */
function unpackBrowser(temporary: string) {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(
      `SIGNET_TEST_BROWSER: must be the path of an installed Chromium or Chrome, for no package has one for ${process.platform} on ${process.arch}`,
    )
  const { version } = JSON.parse(readFileSync(join(modules, '@sparticuz/chromium/package.json'), 'utf8'))
  const unpacked = join(cache, `chromium-${version}`)
  if (!existsSync(unpacked)) unpack(unpacked)
  const fonts = { FONTCONFIG_PATH: unpacked, XDG_CACHE_HOME: unpacked }
  const env = { TMPDIR: temporary, LD_LIBRARY_PATH: join(unpacked, 'al2023/lib'), ...fonts }
  return { executablePath: join(unpacked, 'chromium'), env }
}

/** The package unpacks into the temporary folder of its process. A rename in the end: several test files may begin at once. */
function unpack(unpacked: string) {
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'unpacking-'))
  const program = `await (await import('@sparticuz/chromium')).default.executablePath()`
  execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: modules,
    env: { TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' },
  })
  writeFileSync(join(folder, 'fonts.conf'), fontsConf)
  try {
    renameSync(folder, unpacked)
  } catch (error) {
    if (!existsSync(unpacked)) throw error
    rmSync(folder, { recursive: true })
  }
}

const fontsConf = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir><cachedir prefix="xdg">fonts-cache</cachedir></fontconfig>
`
