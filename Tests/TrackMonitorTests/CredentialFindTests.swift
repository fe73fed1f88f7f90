import Foundation
import NLOSCore
import Testing

@testable import TrackMonitor

/// Where `monitor` finds its token. Each test is a process of its own, because the environment is one for all.
@Suite struct CredentialFindTests {
    @Test func theUsersDataDirectory() async {
        await #expect(processExitsWith: .success) {
            unsetenv("CREDENTIALS_DIRECTORY")
            let data = try DataDirectory()
            let (first, second) = (randomToken(), randomToken())
            try data.keep(first)
            _ = try CredentialStore(dataDirectory: data.path + "/.local/share").keep(token(second), for: data.endpoint)
            setenv("HOME", data.path, 1)
            setenv("XDG_DATA_HOME", data.path, 1)
            try #require(try PairingToken.find(for: data.endpoint).text == first)
            setenv("XDG_DATA_HOME", "", 1)
            try #require(try PairingToken.find(for: data.endpoint).text == second)
            unsetenv("XDG_DATA_HOME")
            try #require(try PairingToken.find(for: data.endpoint).text == second)
            setenv("XDG_DATA_HOME", "data", 1)
            try #require(throws: CredentialFailure.relativePath(variable: "XDG_DATA_HOME")) { try PairingToken.find(for: data.endpoint) }
            unsetenv("XDG_DATA_HOME")
            setenv("HOME", "home", 1)
            try #require(throws: CredentialFailure.relativePath(variable: "HOME")) { try PairingToken.find(for: data.endpoint) }
            // The user database's word, where the environment says nothing.
            unsetenv("HOME")
            let home = try #require(getpwuid(geteuid())?.pointee.pw_dir)
            try #require(try userDataDirectory() == String(cString: home) + "/.local/share")
        }
    }

    @Test func withoutAPairingItSaysHowToPair() async {
        await #expect(processExitsWith: .success) {
            unsetenv("CREDENTIALS_DIRECTORY")
            let data = try DataDirectory()
            setenv("XDG_DATA_HOME", data.path, 1)
            try #require(throws: CredentialFailure.notPaired(data.endpoint)) { try PairingToken.find(for: data.endpoint) }
            let message = CredentialFailure.notPaired(data.endpoint).message
            try #require(message.text.contains("ruview.example:8443"))
            try #require(message.next == "nlos-bridge pair wss://ruview.example:8443/api/v1/nlos/ws")
            try #require(
                try CredentialFailure.notPaired(MonitorEndpoint("wss://[::1]/api/v1/nlos/ws")).message.next
                    == "nlos-bridge pair wss://[::1]/api/v1/nlos/ws")
            // Nothing was made by looking.
            try #require(try FileManager.default.contentsOfDirectory(atPath: data.path).isEmpty)
        }
    }

    @Test func whatTheServiceManagerHandsOverComesFirst() async {
        await #expect(processExitsWith: .success) {
            let data = try DataDirectory()
            let (stored, managed) = (randomToken(), randomToken())
            try data.keep(stored)
            setenv("XDG_DATA_HOME", data.path, 1)
            let folder = data.path + "/credentials"
            try #require(mkdir(folder, 0o700) == 0)
            setenv("CREDENTIALS_DIRECTORY", folder, 1)
            // Another server's is nobody's business.
            try data.write(managed, to: folder + "/nlos-bridge.ruview.example+443")
            try #require(try PairingToken.find(for: data.endpoint).text == stored)
            // As systemd leaves them: read only, and an access list shows as permissions of the group.
            for mode: mode_t in [0o400, 0o440] {
                try data.write(managed + "\n", to: folder + "/nlos-bridge.ruview.example+8443")
                try #require(chmod(folder + "/nlos-bridge.ruview.example+8443", mode) == 0)
                try #require(try PairingToken.find(for: data.endpoint).text == managed)
                try #require(try PairingToken.managed(for: data.endpoint)?.text == managed)
                try #require(unlink(folder + "/nlos-bridge.ruview.example+8443") == 0)
            }
            setenv("CREDENTIALS_DIRECTORY", folder + "/gone", 1)
            try #require(try PairingToken.find(for: data.endpoint).text == stored)
            setenv("CREDENTIALS_DIRECTORY", "credentials", 1)
            try #require(throws: CredentialFailure.relativePath(variable: "CREDENTIALS_DIRECTORY")) {
                try PairingToken.find(for: data.endpoint)
            }
        }
    }

    @Test func whatIsThereInsteadOfACredentialIsNotPassedOver() async {
        await #expect(processExitsWith: .success) {
            let data = try DataDirectory()
            try data.keep(randomToken())
            setenv("XDG_DATA_HOME", data.path, 1)
            setenv("CREDENTIALS_DIRECTORY", data.path, 1)
            let file = data.path + "/nlos-bridge.ruview.example+8443"
            let find = { try PairingToken.find(for: data.endpoint) }
            try data.write(randomToken(), to: file, mode: 0o604)
            try #require(throws: CredentialFailure.unsafeCredential(path: file, .mode(0o604)), performing: find)
            try #require(chmod(file, 0o600) == 0)
            _ = try find()
            if geteuid() == 0 {
                try #require(chown(file, 65_534, 65_534) == 0)
                try #require(throws: CredentialFailure.unsafeCredential(path: file, .owner(65_534)), performing: find)
            }
            try #require(unlink(file) == 0 && symlink(data.file, file) == 0)
            try #require(throws: CredentialFailure.unsafeCredential(path: file, .symbolicLink), performing: find)
            try #require(unlink(file) == 0 && mkfifo(file, 0o600) == 0)
            try #require(throws: CredentialFailure.unsafeCredential(path: file, .notAFile), performing: find)
            try #require(unlink(file) == 0)
            try data.write("short", to: file)
            try #require(throws: CredentialFailure.notAToken(.tooShort), performing: find)
        }
    }
}
