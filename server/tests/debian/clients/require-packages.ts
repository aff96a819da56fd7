import { existsSync } from 'node:fs'

/** Of Debian 12: the packages, and a file that each of them brings. */
const packages = {
  'apache2-bin': '/usr/sbin/apache2',
  'libapache2-mod-auth-openidc': '/usr/lib/apache2/modules/mod_auth_openidc.so',
  'python3-authlib': '/usr/lib/python3/dist-packages/authlib/__init__.py',
  'python3-flask': '/usr/lib/python3/dist-packages/flask/__init__.py',
  'python3-requests': '/usr/lib/python3/dist-packages/requests/__init__.py',
  'golang-go': '/usr/bin/go',
  'golang-github-coreos-go-oidc-dev': '/usr/share/gocode/src/github.com/coreos/go-oidc/oidc.go',
  'golang-golang-x-oauth2-dev': '/usr/share/gocode/src/golang.org/x/oauth2/oauth2.go',
  'ruby-openid-connect': '/usr/share/doc/ruby-openid-connect/copyright',
  'ruby-omniauth-openid-connect': '/usr/share/doc/ruby-omniauth-openid-connect/copyright',
  'ruby-sinatra': '/usr/share/doc/ruby-sinatra/copyright',
  'ruby-webrick': '/usr/share/doc/ruby-webrick/copyright',
}

/** Before `npm run test:everything -- clients`: tells what has to be installed, and ends with 1 when that is anything. */
const missing = Object.entries(packages)
  .filter(([, file]) => !existsSync(file))
  .map(([name]) => name)
if (missing.length > 0) {
  console.error(`Missing: apt-get install --no-install-recommends ${missing.join(' ')}`)
  process.exit(1)
}
