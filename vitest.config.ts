import { configDefaults, defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['server/**/*.test.ts', 'proto/**/*.test.ts', 'scripts/**/*.test.ts', 'sdk/**/*.test.ts'],
    // `npm run test:proxies`, with programs of Debian.
    exclude: [...configDefaults.exclude, 'server/tests/proxies/**'],
    globalSetup: 'server/tests/support/global-setup.ts',
    // Two cores: more workers than this only wait for each other.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 90_000,
    passWithNoTests: false,
  },
})
