import fastify from 'fastify'

/**
 * The page shows the document and makes requests to this service. Everything that belongs to the page's maker is off: agents,
 * accounts, tools to edit or publish the document, fonts, telemetry, and links to other sites.
 */
const configuration = {
  url: '../openapi.json',
  pageTitle: 'Signet API reference',
  documentDownloadType: 'json',
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  // Its own samples show header values of its own making: those of the document remain.
  hiddenClients: true,
  withDefaultFonts: false,
  telemetry: false,
  customCss:
    'a[href*="scalar.com"] { display: none } a[href^="https:"]:not([href*="/help"]) { pointer-events: none; text-decoration: none }',
}

/**
 * The page and its script by their paths, as the package of their maker writes them. The package @signet/server brings both as files, and reads them
 * in place of this module: of the twenty packages that write them it needs none.
 */
export async function renderReference(): Promise<Map<string, Buffer>> {
  const { default: reference } = await import('@scalar/fastify-api-reference')
  const app = fastify()
  await app.register(reference, { routePrefix: '/docs', configuration: configuration as never })
  const paths = ['/docs/', '/docs/js/scalar.js']
  return new Map(await Promise.all(paths.map(async (path) => [path, (await app.inject(path)).rawPayload] as const)))
}
