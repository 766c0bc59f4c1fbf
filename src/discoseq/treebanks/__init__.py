"""Files to trees and back, one module a format."""
