import { matchesGlob } from 'node:path'

/** One way to run some of the test files. Each file of the repository belongs to exactly one suite that is no repetition. */
export type Suite = {
  name: string
  proves: string
  /** Globs of paths. */
  files: string[]
  except?: string[]
  /** Its files are run a second time: in their long form, or on another server. */
  isRepetition?: true
  /** `SIGNET_TEST_FORM=long`. */
  isLong?: true
  /** What the tests run on in place of the embedded PostgreSQL. */
  server?: Server
  /** Of Debian 12; without them the suite is not run. */
  packages?: string[]
  /** Of Debian 12; without them some of its tests are skipped. */
  furtherPackages?: string[]
  needs?: ('root' | 'history')[]
  /** Test files at once, where three are too many for two cores. */
  workers?: number
  /** Why it runs in `test:everything` alone, though it needs no package of Debian. */
  notInCi?: string
  /** What runs vitest. */
  within?: string[]
}

/** Debian's PostgreSQL 15, the embedded package of a version, or SIGNET_TEST_SERVER. */
export type Server = 'debian' | '15.18.0-beta.17' | '16.14.0-beta.17' | '17.10.0-beta.17' | 'given'

const slow = '**/*.slow.test.ts'
const debian = 'server/tests/debian/**'
const onServer = {
  files: ['server/tests/**/*.test.ts'],
  except: [debian, 'server/tests/{documents,printed,upgrade,feed/standbys}/**', '**/own-postgres/**'],
  isRepetition: true as const,
}
const long = { isRepetition: true as const, isLong: true as const }
const failover = {
  files: ['server/tests/debian/failover/*.test.ts'],
  packages: ['patroni', 'etcd-server', 'python3-etcd', 'haproxy', 'pgbouncer', 'postgresql-15', 'iproute2'],
  needs: ['root' as const],
  within: ['sh', 'server/tests/debian/failover/in-own-network.sh'],
}

/** In the order in which they are run: first what proves most for its time. */
export const suites: Suite[] = [
  {
    name: 'quick',
    proves: 'every part of the product: the interface, delivery, sign-in, the console, the libraries; `npm test`',
    files: ['**/*.test.ts'],
    except: [slow, debian],
  },
  {
    name: 'faults',
    proves: 'no acknowledged event is lost, whatever is killed, frozen or cut off',
    files: ['server/tests/faults/**/*.slow.test.ts'],
    workers: 2,
  },
  {
    name: 'slow',
    proves: 'what takes long: backup, regions, retention, moves, real browsers, further clients',
    files: [slow],
    except: ['server/tests/{faults,printed,upgrade,feed/standbys}/**', 'console/tests/**'],
    workers: 2,
  },
  {
    name: 'console',
    proves: 'each page and each flow of the console, in a real browser',
    files: ['console/tests/**/*.slow.test.ts'],
    workers: 2,
  },
  {
    name: 'upgrade',
    proves: 'this program and the oldest that may run beside it serve one database side by side',
    files: ['server/tests/upgrade/*.slow.test.ts'],
    needs: ['history'],
  },
  {
    name: 'printed',
    proves: 'each command that README and docs print works in a fresh clone',
    files: ['server/tests/printed/*.slow.test.ts'],
    notInCi: 'it takes a quarter of an hour, and CI has half an hour for everything',
    furtherPackages: ['postgresql-15'],
    workers: 1,
  },
  {
    name: 'feed',
    proves: 'the feed skips and repeats nothing over failovers, restores and transactions that stay open',
    files: ['server/tests/feed/standbys/*.slow.test.ts'],
    furtherPackages: ['postgresql-15', 'postgresql-client-15'],
  },
  {
    name: 'processes-long',
    proves: 'three processes lose nothing in ten minutes of random kills and freezes',
    files: ['server/tests/processes/*.test.ts'],
    ...long,
  },
  {
    name: 'hostile-long',
    proves: 'no request and no answer breaks the service, with as many tries as fit fifteen minutes',
    files: ['server/tests/hostile/*.test.ts'],
    ...long,
  },
  {
    name: 'directories-long',
    proves: 'directories of 20,000 persons are what Signet keeps, after two hundred kills of two processes',
    files: ['server/tests/directories/simulated/*.test.ts'],
    ...long,
  },
  {
    name: 'faults-long',
    proves: 'the same as `faults`, with many more faults and leases that end by themselves',
    files: ['server/tests/faults/**/*.slow.test.ts', 'server/tests/delivery/delivery-model.test.ts'],
    workers: 2,
    ...long,
  },
  {
    name: 'listen-long',
    proves: '`signet listen` loses none of ten thousand events over a hundred cut connections',
    files: ['server/tests/command-line/listen-loses-nothing.test.ts'],
    ...long,
  },
  {
    name: 'postgres-debian',
    proves: 'all that needs a database, on a stock PostgreSQL 15 with JIT',
    server: 'debian',
    packages: ['postgresql-15'],
    ...onServer,
  },
  { name: 'postgres-15', proves: 'the same on PostgreSQL 15', server: '15.18.0-beta.17', ...onServer },
  { name: 'postgres-16', proves: 'the same on PostgreSQL 16', server: '16.14.0-beta.17', ...onServer },
  { name: 'postgres-17', proves: 'the same on PostgreSQL 17', server: '17.10.0-beta.17', ...onServer },
  {
    name: 'given',
    proves: 'the same on the server that `SIGNET_TEST_SERVER` names',
    server: 'given',
    ...onServer,
    except: [...onServer.except, '**/standbys/**'],
  },
  {
    name: 'receivers',
    proves:
      'the example receivers in Node, Python, Go, PHP and Ruby pass the conformance kit, and take real deliveries',
    files: ['server/tests/debian/receivers/*.test.ts'],
    packages: ['python3-jwt', 'python3-cryptography'],
    furtherPackages: ['golang-go', 'php-cli', 'ruby', 'ruby-jwt', 'ruby-webrick'],
  },
  {
    name: 'clients',
    proves: 'OpenID Connect clients of other languages sign a person in',
    files: ['server/tests/debian/clients/*.test.ts'],
    packages: [
      'apache2-bin',
      'libapache2-mod-auth-openidc',
      'python3-authlib',
      'python3-flask',
      'python3-jwt',
      'python3-requests',
      'python3-social-django',
      'python3-jose',
      'golang-go',
      'golang-github-coreos-go-oidc-dev',
      'golang-golang-x-oauth2-dev',
      'ruby-openid-connect',
      'ruby-omniauth-openid-connect',
      'ruby-sinatra',
      'ruby-webrick',
    ],
  },
  {
    name: 'proxies',
    proves: 'Signet behind nginx, Caddy, HAProxy and PgBouncer, by the files of examples/deployment',
    files: ['server/tests/debian/proxies/*.test.ts'],
    packages: ['nginx', 'haproxy', 'caddy', 'pgbouncer', 'postgresql-15', 'postgresql-client-15'],
    workers: 2,
  },
  {
    name: 'failover',
    proves: 'three PostgreSQL nodes under Patroni: a primary is lost, and no acknowledged change with it',
    ...failover,
  },
  { name: 'failover-long', proves: 'the same in fifty rounds', ...failover, ...long },
  {
    name: 'image',
    proves: 'the image of the Dockerfile, run as its user and without capabilities',
    files: ['server/tests/debian/image/*.test.ts'],
    packages: ['buildah', 'debootstrap'],
    needs: ['root'],
  },
  {
    name: 'release',
    proves:
      '`npm run release:rehearse`: every artifact, made twice and tried from empty folders on three lines of Node',
    files: ['server/tests/debian/release/*.test.ts'],
    packages: ['buildah', 'debootstrap'],
    needs: ['root'],
    notInCi: 'it takes a quarter of an hour, and fetches from the registry',
  },
]

export const filesOf = ({ files, except = [] }: Suite, all: string[]): string[] =>
  all.filter((path) => matches(path, files) && !matches(path, except))

/** Those of CI: the others need packages of Debian, repeat tests, or say why not. */
export const isInCi = ({ isRepetition, packages, notInCi }: Suite): boolean =>
  !isRepetition && packages === undefined && notInCi === undefined

const matches = (path: string, globs: string[]): boolean => globs.some((glob) => matchesGlob(path, glob))
