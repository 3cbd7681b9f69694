# Tributary. `make run` starts the node, `make test` proves it; both install and build what they need.
SHELL := /bin/bash
# A file that takes longer hangs, and is ended and named: it must not take the whole run with it.
NODE_TEST := node --test --test-concurrency=2 --test-timeout=600000
BIN := dist/src/bundle/tributary.cjs
# Tests of some kinds, the core's and the chapters': $(call tests,unit contract)
tests = $$(find $(foreach kind,$(1),dist/test/$(kind) dist/test/chapters/*/$(kind)) -name '*.test.js' 2>/dev/null)
ARGS ?=


.PHONY: readme only run test soak-kill tracker-life rest-10000 pictures mutations damaged-films check build install package tarball image deb packed-npm packed-tarball packed-deb clean release packages tools types format lint arch unit suite interop interop-short live-overlay live-transcripts channels-30 swaps-table bench bench-quick bench-all bench-rivals bench-micro

run: build ## Install, build and start the node (ARGS="--port 0" adds arguments)
	@exec node $(BIN) start $(ARGS)

test: build check suite interop-short ## Everything CI runs

build: node_modules/.installed tools ## Types checked, modules into dist/, the dashboard, then the program made of them (src/build/bundle.ts)
	@npx --no-install tsc -p tsconfig.json
	@npx --no-install vite build -c src/web/vite.config.ts
	@node dist/src/build/native-part.js
	@node dist/src/build/bundle.js
	@chmod +x $(BIN) 2>/dev/null || true

install: node_modules/.installed

# The native database module is compiled here: say which tool is missing instead of printing a page of node-gyp.
tools:
	@for tool in node npm; do command -v $$tool >/dev/null || { echo "missing: $$tool (install Node.js 20.20 or 22)"; exit 1; }; done
	@node -e 'const [a, b] = process.versions.node.split(".").map(Number); if (!((a === 20 && b >= 19) || a === 22)) { console.error("Node.js " + process.versions.node + " cannot run this; use 20.20 or 22"); process.exit(1) }'

# Not `npm ci`: it refuses the lock file where a registry lacks a package that only another platform would install.
# This installs the locked versions too, and leaves the lock file alone.
node_modules/.installed: package.json package-lock.json
	@missing=; for tool in g++ make python3; do command -v $$tool >/dev/null || missing="$$missing $$tool"; done; \
	if [ -n "$$missing" ]; then echo "missing for native builds:$$missing (Debian: apt-get install g++ make python3)"; exit 1; fi
	npm install --no-save --no-audit --no-fund
	@touch $@

check: build types format lint arch ## Types, formatter, linter, import rules, unit tests; under a minute

types: node_modules/.installed
	@npx --no-install tsc -p tsconfig.json --noEmit
	@npx --no-install tsc -p src/web/tsconfig.json
	@npx --no-install tsc -p src/client/tsconfig.json

format: node_modules/.installed
	@npx --no-install biome format --log-level=warn .

lint: node_modules/.installed
	@npx --no-install oxlint --type-aware -c test/arch/oxlint.json --quiet --ignore-pattern 'bench/rivals' src workers test bench

arch: build
	@$(NODE_TEST) $(call tests,arch)

unit: build
	@$(NODE_TEST) $(call tests,unit)

# The other Node that is kept working: build, unit, contract, a start and a transfer on it.
.PHONY: test-node22 only-node22
test-node22: node_modules/.installed ## The same sources on Node 22
	@bash test/kit/on-node22 make only-node22

# Nearly all of their time is ffmpeg's, for which neither Node nor another chapter is a matter.
BY_FFMPEG := ffmpeg-segments\|hostile-cuts\|long-films
# What the packages of this project make of films: it is a matter of Node, and of no other chapter.
OF_FILMS := $(BY_FFMPEG)\|joined-segments\|other-sounds\|converted-sound

# What waits longest is begun first: half a minute at the end would be one in which nothing else is left to run.
only-node22: LONGEST := dist/test/contract/spec/refusals.test.js
only-node22: build
	@node dist/test/kit/runners/run-suite.js --together=unit $(LONGEST) $$(echo $(call tests,unit contract) | tr ' ' '\n' | grep -v '$(LONGEST)\|$(BY_FFMPEG)') \
	dist/test/arch/run-suite.test.js dist/test/e2e/start-stop.test.js dist/test/e2e/two-nodes.test.js

# Everything that needs no network namespace.
suite: build
	@node dist/test/kit/runners/run-suite.js --whole=suite --beside=e2e/player $(call tests,unit contract sim fault fuzz e2e issues)

# What CI runs of the tests with real peers and players: those that do not wait for other clients' timers.
SHORT := create encryption file-attributes film-forecast fresh-node hostile-swarm import ip-filter kill-switch kinds-of-seeds lost-pieces lsd-alone magnet-and-restart \
	opentracker channel-health channels-dht feeds half-written players playlists port-mapping proxies readme-example select-only transfer udp-tracker utp utp-clients utp-native v2-torrents \
	v2-transfer web-seeds anonymous overlay-hosts dht-network dlna-players made-torrents prometheus reverse-proxy updates wallets-litecoin wallets-bitcoin wallets-ether market-swaps swap-ether swap-ether-contract swap-ether-traders swap-litecoin swap-bitcoin market-secrets wallet-kill
interop-short: build bench-rivals
	@node dist/test/kit/runners/run-interop.js --whole=interop-short $(SHORT)

# Real peers and players, in a network namespace of their own. The tests write down which cells of the matrix they passed;
# with REQUIRE_PEERS=1 it fails where one that must be passed is missing.
interop: build bench-rivals ## Every feature with every peer that has it; prints the matrix
	@cells=$$(mktemp); INTEROP_MATRIX=$$cells node dist/test/kit/runners/run-interop.js --whole=interop $(call tests,interop); \
	status=$$?; node dist/test/kit/runners/print-matrix.js $$cells || status=1; rm -f $$cells; exit $$status

# Our node in every role of a network of py-ipv8 nodes on loopback; prints the matrix. IPV8_DIR is a checkout of
# Tribler/py-ipv8 at tag 3.2; Debian's python3-libnacl, -cryptography, -aiohttp and -typing-extensions are needed.
channels-30: build ## One channel among thirty of our nodes: ten subscribers of whom five lie, and an eleventh when its author is gone; times and bytes
	@node dist/test/chapters/channels/kit/run-channels.js

swaps-table: build ## Swaps whose sides are killed or muted at every step: the table of outcomes
	@node dist/test/chapters/market/kit/print-swaps-table.js

swaps-real: build ## Swaps on litecoind and bcoin with a node killed at every step: a table of outcomes; half an hour, KILLS='initiator restart' plays some rows
	@bash test/kit/netns node dist/test/chapters/market/kit/run-swaps-real.js $(KILLS)

live-overlay: build ## Our node against py-ipv8 in every role (IPV8_DIR=checkout of py-ipv8 3.2)
	@[ -d "$(IPV8_DIR)/ipv8" ] || { echo "IPV8_DIR must name a checkout of py-ipv8 at tag 3.2"; exit 1; }
	@IPV8_DIR=$(IPV8_DIR) $(NODE_TEST) dist/test/chapters/circuits/live/overlay.test.js

# What `make test` plays again (test/vectors/ipv8-live): when what circuits send has changed on purpose.
live-transcripts: build
	@[ -d "$(IPV8_DIR)/ipv8" ] || { echo "IPV8_DIR must name a checkout of py-ipv8 at tag 3.2"; exit 1; }
	@IPV8_DIR=$(IPV8_DIR) node dist/test/chapters/circuits/live/record.js

# SHARE: what the seeders send together, times the bitrate; SEED: of the first run.
.PHONY: film-forecasts
film-forecasts: build ## Ten films of two minutes from three limited libtorrents of which one leaves: stalls, and starts by the best (RUNS)
	@FILM_RUNS=$(or $(RUNS),10) bash test/kit/netns node --test --test-reporter=spec dist/test/chapters/media/interop/film-forecast.test.js

pictures: build ## The pictures of src/docs/watching.md: a film's whole way in a page and on a phone, then in VLC, Kodi and on a television
	@PICTURES=$$PWD/src/docs/pictures node --test dist/test/e2e/player/whole-way.test.js
	@bash test/kit/netns node dist/test/chapters/dlna/pictures/make-pictures.js $$PWD/src/docs/pictures

mutations: build ## Changes over src drawn by SEED (COUNT=60) that the tests are to find; half an hour and more
	@nice node dist/test/kit/runners/run-mutations.js

damaged-films: build ## A thousand damaged films of each container and codec, cut into segments and repacked as the page does it; half an hour
	@FUZZ_FILMS=1000 node --test --test-concurrency=1 dist/test/chapters/hls/fuzz/segments.test.js dist/test/chapters/media/fuzz/repacked-films.test.js

# The machine code that hashes and that has sockets, made so that every access to memory is watched, and its tests: SECONDS=n makes it longer.
.PHONY: fuzz-native
fuzz-native: build ## The native hash and sockets under AddressSanitizer, half a minute
	@node dist/src/build/native-part.js --sanitize=dist/src/native/watched.node
	@TRIBUTARY_NATIVE=$$PWD/dist/src/native/watched.node FUZZ_SECONDS=$(or $(SECONDS),20) ASAN_OPTIONS=detect_leaks=0 \
	LD_PRELOAD="$$(cc -print-file-name=libasan.so) $$(cc -print-file-name=libubsan.so)" \
	node --test --test-concurrency=1 dist/test/fuzz/native-hash.test.js dist/test/fuzz/native-udp.test.js dist/test/unit/pools/native-hash.test.js \
	dist/test/unit/io/udp-native.test.js

# Kill, disk, power and hostile swarms of `make test`, by each path of the hash that this processor has.
.PHONY: test-hash-paths
test-hash-paths: build ## What must hold whoever hashes: node:crypto and each path of the machine code (HASH_PATHS=node,avx2)
	@node dist/test/kit/runners/run-hash-paths.js

# The killed node of `make test`, at 200 random moments instead of 20; SEED=n repeats a run.
soak-kill: build ## kill -9 at 200 random moments under load
	@KILLS=$${KILLS:-200} $(NODE_TEST) dist/test/fault/node-kill.test.js

# What trackers hear of a download through 50 kills, and of 1,000 torrents when a node ends (`make test` has 5 and 100).
tracker-life: build ## a download's life as trackers see it, with 50 kills
	@TRIBUTARY_KILLS=$${KILLS:-50} TRIBUTARY_FAREWELLS=1000 node --test dist/test/issues/swarm/0481-trackers-etiquette.test.js

# Attacks on the built node as a black box, seven minutes together; SEED=n repeats one, SECONDS=n makes each shorter.
.PHONY: attacks
attacks: build ## keys and files, parsers and peers, disks and stopping: tried, held, broke
	@status=0; for attack in keys-and-files parsers-and-peers disks-and-stopping; do node dist/test/attacks/$$attack.js || status=1; done; exit $$status

# Memory, CPU and writes of a node whose downloads know nobody, after ten minutes and again after a restart: some 25 minutes.
rest-10000: build ## what 10,000 incomplete downloads without peers cost (COUNT, MINUTES)
	@node dist/test/kit/runners/run-suspended.js

# A node in a control group of 256 MiB, no swap and one processor (root): 1,000 seeds at rest, three downloads again and
# again, a stream with five seeks. TMPDIR must lie on a disk: files in memory would count.
.PHONY: soak-small
soak-small: build ## what a small machine bears, half an hour (MINUTES); no kill for memory, no swap
	@bash test/kit/netns node dist/test/kit/runners/run-small.js

# One chapter's tests, those with other programs apart: make test-market
CHAPTERS ?= $(notdir $(wildcard src/chapters/*))
.PHONY: $(addprefix test-,$(CHAPTERS))
$(addprefix test-,$(CHAPTERS)): test-%: build ## One chapter's tests
	@node dist/test/kit/runners/run-suite.js $$(find dist/test/chapters/$* -name '*.test.js' ! -path '*/interop/*')

# A chapter is a folder: without it, and those that need it, everything else builds and passes. TARGETS="check unit" is
# quicker; .ci/run does that without one of them, another each day.
.PHONY: without-chapters without-one only-starts unit-but-films
TARGETS ?= check suite
without-chapters: ## Takes out each chapter in turn, builds the rest and runs its tests: over an hour
	@for chapter in $(CHAPTERS); do bash test/kit/without-chapters $$chapter $(TARGETS) || exit 1; done

without-one:
	@chapters=($(CHAPTERS)); bash test/kit/without-chapters $${chapters[10#$$(date +%j) % $${#chapters[@]}]} check unit-but-films only-starts

unit-but-films: build
	@$(NODE_TEST) $$(echo $(call tests,unit) | tr ' ' '\n' | grep -v '$(OF_FILMS)')

only-starts: build
	@$(NODE_TEST) dist/test/e2e/start-stop.test.js

# One directory of the suite: make only DIR=unit/wire
only: build
	@$(NODE_TEST) $$(find dist/test/$(DIR) -name '*.test.js')

# All flows with the rivals, one table at the end; BENCH_ARGS are those of bench/README.md, for example --out FILE.
bench: build bench-rivals ## Every flow against the rivals, at most 45 minutes
	@bash test/kit/netns node dist/bench/run.js --level standard $(BENCH_ARGS)

bench-quick: build ## Leech, ranges, list of 1,000, start: five minutes
	@bash test/kit/netns node dist/bench/run.js --level quick $(BENCH_ARGS)

bench-all: build bench-rivals ## Everything, every rival as often as we: an hour; bench/results/bench-all.json and .txt
	@bash test/kit/netns node dist/bench/run.js --level all --out bench/results/bench-all.json $(BENCH_ARGS)

# WebTorrent, from its own lock file and without install scripts. Where it cannot be had the tables say that it is missing.
bench-rivals:
	@rival=node_modules/.rivals/webtorrent; if ! cmp -s bench/rivals/webtorrent/package-lock.json $$rival/installed-lock.json; then \
	rm -rf $$rival && mkdir -p node_modules/.rivals && cp -r bench/rivals/webtorrent $$rival && cd $$rival && \
	cp package-lock.json installed-lock.json && npm ci --ignore-scripts --no-audit --no-fund || rm -f installed-lock.json; fi || true

bench-micro: build
	@node dist/bench/micro/all.js
	@node dist/bench/micro/encryption.js
	@node dist/bench/micro/list-pages.js
	@for file in dist/test/chapters/*/bench/overlay-crypto.js; do if [ -e $$file ]; then node $$file; fi; done

# One flow by itself: bench-leech, bench-seed, bench-recheck, bench-ranges, bench-first-byte, bench-magnet, bench-list,
# bench-start, bench-scale, bench-create, bench-readers, bench-written, bench-stream-memory, bench-dashboard, bench-events, bench-catalogue,
# bench-market, bench-circuits (IPV8_CHECKOUT=folder: with py-ipv8).
bench-%: build
	@bash test/kit/netns node $$(ls dist/bench/flow/$*.js dist/test/chapters/*/bench/$*.js 2>/dev/null) $(BENCH_ARGS)

# Whom a fresh node contacts, for ten minutes (`make test` looks for a moment).
.PHONY: privacy
privacy: build ## every address that a node sends to, beside what src/docs/privacy.md says (MINUTES)
	@WATCH_MINUTES=$(or $(MINUTES),10) bash test/kit/netns node --test --test-reporter=spec dist/test/interop/fresh-node.test.js

readme: build ## Rewrites the tables of src/docs: settings from the schema, and the matrix
	@for page in readme errors-page interop-matrix decisions readme-map; do UPDATE_README=1 node --test dist/test/arch/$$page.test.js >/dev/null || exit 1; done

# What is given away, in dist-package/ (src/deploy, decisions 0363 and 0571).
VERSION = $$(node -p 'require("./package.json").version')
package: build packed-npm ## The npm package, for the Node that runs here: dist-package/tributary-VERSION.tgz

# The build itself is not run again: two of them differ (decision 0570).
packed-npm:
	@mkdir -p dist-package
	@npm pack --ignore-scripts --silent --pack-destination dist-package

# With a Node 22 of their own, in the copy where that is.
tarball deb: node_modules/.installed
	@bash test/kit/on-node22 make package packed-$@
	@mkdir -p dist-package
	@cp dist-node22/project/dist-package/tributary[-_]*.$(if $(filter deb,$@),deb,tar.gz) dist-package/
tarball: ## Everything in an archive, Node too: dist-package/tributary-VERSION-linux-x64.tar.gz (ARCHS="x64 arm64": for both)
deb: ## The Debian package, with its own Node: dist-package/tributary_VERSION_ARCH.deb (ARCHS)

# For other processors it is compiled by Debian's cross compilers (decision 0578).
ARCHS ?= x64
export ARCHS
packed-tarball: packed-npm
	@for arch in $(ARCHS); do bash src/deploy/own-node/tarball dist-package/tributary-$(VERSION).tgz dist-package $$arch || exit 1; done

packed-deb: packed-tarball
	@for arch in $(ARCHS); do bash src/deploy/deb/build dist-package/tributary-$(VERSION)-linux-$$arch.tar.gz dist-package || exit 1; done

# All that a release has, of what is built.
packages: packed-deb

# The archive for arm64 by qemu-user, where g++-aarch64-linux-gnu and qemu-user-static are (decision 0578).
.PHONY: try-arm64
try-arm64: build ## The archive for arm64 under qemu: start, 64 MiB from a node of here, a range of a stream, stop; a few minutes
	@$(MAKE) --no-print-directory tarball ARCHS=arm64
	@TEST_PATIENCE=10 node dist/test/kit/runners/try-arm64.js dist-package/tributary-$(VERSION)-linux-arm64.tar.gz

# Twice, compared, summed up; RELEASE_KEY=FILE of an SSH key signs (decision 0570). Some ten minutes.
release: ARCHS := $(if $(filter command line environment,$(origin ARCHS)),$(ARCHS),x64 arm64)
release: node_modules/.installed ## All packages of the last commit, for x64 and arm64, checked: dist-release/
	@bash src/deploy/release/make dist-release

# State directories that released versions have left (test/vectors/upgrades, CONTRIBUTING.md), taken on as each package does it.
.PHONY: upgrade-test
upgrade-test: build tarball deb package ## What older versions left goes on with npm package, archive and Debian package; KILLS=100 times killed, a quarter of an hour
	@KILLS=$(or $(KILLS),100) bash test/kit/upgrade-packages

# BASE=image chooses another base than debian:bookworm-slim.
image: tarball ## The container image tributary:latest, by buildah, podman or docker
	@mkdir -p dist-package/image
	@cp dist-package/tributary-$(VERSION)-linux-x64.tar.gz dist-package/image/tributary.tar.gz
	@if command -v buildah >/dev/null; then build="buildah build --format docker"; \
	elif command -v podman >/dev/null; then build="podman build --format docker"; else build="docker build"; fi; \
	$$build $(if $(BASE),--build-arg BASE=$(BASE)) -t tributary:latest -f src/deploy/Dockerfile dist-package/image

clean:
	rm -rf dist dist-node22 node_modules
