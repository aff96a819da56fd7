// What `npm run demo`, `npm run build` and `npm run generate` run: by name (`npm run demo -- sign-in`), without one the first.
// Plain JavaScript that Node 20 understands. `needsTools`: what is installed for development; `needsPages`: the console and the help are built first.
export const programs = {
  demo: {
    webhook: { run: ['scripts/demo.ts'] },
    'sign-in': { run: ['scripts/demo-sign-in.ts'], needsTools: true },
    regions: { run: ['scripts/demo-regions.ts'] },
  },
  build: {
    pages: { run: ['scripts/build-pages.mjs', '--strict'] },
    help: { run: ['scripts/build-help.mjs', '--strict'] },
    packages: { run: ['scripts/packages/build-packages.ts'], needsTools: true, needsPages: true },
    'conformance-kit': { run: ['scripts/packages/build-conformance-kit.ts'], needsTools: true },
    sbom: { run: ['scripts/make-sbom.mjs'] },
  },
  generate: {
    management: { run: ['scripts/generate-management.ts'], needsTools: true },
    reference: { run: ['scripts/generate-reference.ts'], needsTools: true },
    contract: { run: ['scripts/generate-contract.ts'], needsTools: true },
    pictures: { run: ['console/tests/pictures.ts'], needsTools: true, needsPages: true },
    recording: { run: ['scripts/record-dev.ts'], needsTools: true, needsPages: true },
    'page-pictures': {
      run: [
        'node_modules/vitest/vitest.mjs',
        'run',
        '--root=.',
        '--config=server/tests/page-pictures/vitest.config.ts',
      ],
      needsTools: true,
    },
    'schema-dump': {
      run: ['node_modules/vitest/vitest.mjs', 'run', '--root=.', '--config=server/tests/schema-dump/vitest.config.ts'],
      needsTools: true,
    },
  },
}
